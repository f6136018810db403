"""WordPress: an editor of blocks, lists, settings; judged by its database."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from benchmarks.of_apps.application import Task
from benchmarks.of_apps.debian import Packaged
from benchmarks.of_apps.mediawiki import PICTURE
from benchmarks.processes import wait_until
from benchmarks.wire import Failed

USER, PASSWORD = "bench", "bench-spade-7"
CONFIG = """<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'bench');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:{folder}/socket');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', $name . ' key of the benchmark');
    define($name . '_SALT', $name . ' salt of the benchmark');
}
// These would ask servers elsewhere.
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISABLE_WP_CRON', true);
define('WP_SITEURL', '{base}');
define('WP_HOME', '{base}');
$table_prefix = 'wp_';
require ABSPATH . 'wp-settings.php';
"""
BEGIN = "<?php define('ABSPATH', '{folder}/site/');"
INSTALL = f"""<?php
define('WP_INSTALLING', true);
function wp_new_blog_notification() {{}}
require ABSPATH . 'wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Garden', '{USER}', 'bench@shop.example', true, '', '{PASSWORD}');
"""
SEED = f"""<?php
require ABSPATH . 'wp-load.php';
$user = get_user_by('login', '{USER}')->ID;
update_option('show_avatars', 0);
// The editor's guide is shown once.
$seen = ['core/edit-post' => ['welcomeGuide' => false], '_modified' => '2031-01-01T00:00:00.000Z'];
update_user_meta($user, 'wp_persisted_preferences', $seen);
foreach (['Rakes', 'Spades', 'Barrows'] as $title) {{
    $ids[] = wp_insert_post(['post_title' => $title, 'post_status' => 'publish',
        'post_author' => $user,
        'post_content' => "<!-- wp:paragraph -->\n<p>$title in all sizes.</p>\n" .
            '<!-- /wp:paragraph -->']);
}}
wp_insert_comment(['comment_post_ID' => $ids[0], 'comment_author' => 'Tom Okonkwo',
    'comment_author_email' => 'tom@okonkwo.example', 'comment_approved' => 0,
    'comment_content' => 'Do you have rakes with tem teeth?']);
"""


class WordPress(Packaged):
    name = "WordPress"
    version = "6.1.9"
    packages = (
        *("wordpress", "wordpress-theme-twentytwentythree", "php8.2-mysql", "php8.2-gd"),
        "mariadb-server-core",
    )
    extensions = ("ctype", "exif", "fileinfo", "gd", "iconv", "tokenizer", "mysqlnd", "mysqli")
    uploads: ClassVar[Mapping[str, bytes]] = {"Hoe.png": PICTURE}
    entry = f"""
        navigate url={{base}}/wp-login.php
        fill ref='textbox "Username or Email Address"' value={USER}
        fill ref='textbox "Password"' value={PASSWORD}
        click ref='button "Log In"'
        wait text=Dashboard
    """

    def boot(self) -> None:
        code, site = self.tree / "usr/share/wordpress", self.folder / "site"
        (site / "wp-content" / "uploads").mkdir(parents=True)
        for place, own in (("", ("wp-content", "wp-config.php")), ("wp-content", ())):
            for entry in (code / place).iterdir():
                if entry.name not in own:
                    (site / place / entry.name).symlink_to(entry)
        self.settings = f"auto_prepend_file = {self.write('begin.php', BEGIN)}"
        self.write("site/wp-config.php", CONFIG)
        self.keep_data()
        for script in (INSTALL, SEED):
            self.run(self.write("script.php", script))
        dump = (self.tree / "usr/bin/mariadb-dump", *self.client, "--databases", "wordpress")
        self.do(*dump, "-r", self.seeded, **self.libraries)
        self.serve(site)

    def keep_data(self) -> None:
        """Start the database: on a socket alone, without accounts."""
        share, data = self.tree / "usr/share/mysql", self.folder / "data"
        data.mkdir()
        self.spawn(
            *(self.tree / "usr/sbin/mariadbd", "--no-defaults", "--skip-networking"),
            *("--skip-grant-tables", f"--datadir={data}", f"--socket={self.folder}/socket"),
            *(f"--lc-messages-dir={share}", f"--character-sets-dir={share}/charsets"),
            *(() if os.geteuid() else ("--user=root",)),
            **self.libraries,
        )
        if not wait_until((self.folder / "socket").exists, 60):
            raise Failed("the database did not start")
        self.query("create database wordpress", base="")

    @property
    def client(self) -> tuple[str, ...]:
        return ("--no-defaults", f"--socket={self.folder}/socket")

    @property
    def seeded(self) -> Path:
        return self.folder / "seeded.sql"

    def query(self, text: str, base: str = "wordpress") -> list[list[str]]:
        """Ask the database, and return the fields of all rows."""
        command = (self.tree / "usr/bin/mariadb", *self.client, "--batch", "--skip-column-names")
        rows = self.do(*command, f"--database={base}", "--execute", text, **self.libraries)
        return [row.split("\t") for row in rows.splitlines()]

    def answers(self) -> bool:
        return b"user_login" in self.fetch("/wp-login.php")

    def reset(self) -> None:
        self.query(f"source {self.seeded}", base="")
        uploads = self.folder / "site/wp-content/uploads"
        shutil.rmtree(uploads)
        uploads.mkdir()

    def values(self) -> Mapping[str, str]:
        [[barrows]] = self.query("select ID from wp_posts where post_title = 'Barrows'")
        return {"base": self.base, "barrows": barrows}

    def posts(self, where: str) -> list[str]:
        """Return what is in posts, the oldest first."""
        return [row[0] for row in self.query(f"select post_content from wp_posts where {where}")]

    def categories(self) -> dict[str, str]:
        """Return the categories of published posts, by their titles."""
        rows = self.query(
            "select post_title, group_concat(name order by name) from wp_posts "
            "join wp_term_relationships r on object_id = ID "
            "join wp_term_taxonomy x on x.term_taxonomy_id = r.term_taxonomy_id "
            "join wp_terms t on t.term_id = x.term_id where post_type = 'post' group by ID"
        )
        return dict(rows)


def _published(app: WordPress) -> str:
    posts = app.posts("post_title = 'Hoes' and post_status = 'publish'")
    fits = len(posts) == 1 and re.fullmatch(POST, re.sub(r"<!--.*?-->|\\n", "", posts[0]))
    files = [*(app.folder / "site/wp-content/uploads").rglob("Hoe.png")]
    return "" if fits and len(files) == 1 else f"{len(files)} files, posts: {posts}"


def _approved(app: WordPress) -> str:
    rows = app.query("select comment_content, comment_approved from wp_comments where user_id = 0")
    return "" if rows[1:] == [["Do you have rakes with ten teeth?", "1"]] else f"comments: {rows}"


def _sorted(app: WordPress) -> str:
    both = dict.fromkeys(("Rakes", "Spades"), "Tools,Uncategorized")
    alone = dict.fromkeys(("Barrows", "Hello world!"), "Uncategorized")
    return "" if app.categories() == {**both, **alone} else f"categories: {app.categories()}"


def _addressed(app: WordPress) -> str:
    [[structure]] = app.query(
        "select option_value from wp_options where option_name = 'permalink_structure'"
    )
    shown = b"Spades in all sizes" in app.fetch("/index.php/spades/")
    return "" if shown and structure == "/index.php/%postname%/" else f"structure {structure}"


def _recovered(app: WordPress) -> str:
    [post] = app.posts("post_title = 'Barrows' and post_type = 'post'")
    return "" if "<p>Barrows with two wheels.</p>" in post else f"post: {post}"


POST = r"<h2>Which one</h2><ul><li>Short</li><li>Long</li></ul>"
POST += r'<figure [^>]*><img [^>]*/Hoe.png"[^>]*/></figure>'
LIST = 'textbox "List text"'
COMMENT = 'cell "Do you have rakes*"'
WordPress.tasks = (
    Task(
        name="publish a post with a heading, a list and an image",
        judge=_published,
        plan=f"""
            navigate url={{base}}/wp-admin/post-new.php
            fill ref='textbox "Add title"' value=Hoes
            click ref='button "Toggle block inserter"'
            click ref='option "Heading"'
            click ref='option "Image"'
            upload ref='button "Upload"' paths='["Hoe.png"]'
            fill ref='document "Block: Heading"' value='Which one'
            press key=Enter
            type ref='document "Empty block*"' text='- Short'
            press key=Enter
            fill ref='{LIST} 2 of 2' value=Long
            click ref='button "Publish"'
            click ref='button "Publish" in region "Editor publish"'
            wait text='is now live'
        """,
    ),
    Task(
        name="edit and approve a comment",
        judge=_approved,
        plan=f"""
            navigate url={{base}}/wp-admin/edit-comments.php
            hover ref='{COMMENT}'
            click ref='button "Quick edit this comment inline"'
            fill ref='textbox "Comment"' value='Do you have rakes with ten teeth?'
            click ref='button "Update Comment"'
            hover ref='{COMMENT}'
            click ref='button "Approve this comment"'
        """,
    ),
    Task(
        name="add a category, give it to two posts",
        judge=_sorted,
        plan="""
            navigate url={base}/wp-admin/edit-tags.php?taxonomy=category
            fill ref='textbox "Name"' value=Tools
            click ref='button "Add New Category"'
            wait text='Category added'
            navigate url={base}/wp-admin/edit.php
            click ref='checkbox "Select Rakes"'
            click ref='checkbox "Select Spades"'
            select ref='combobox "Select bulk action" 1 of 2' value=Edit
            click ref='button "Apply" 1 of 2'
            click ref='checkbox "Tools"'
            click ref='button "Update"'
        """,
    ),
    Task(
        name="change the permalinks",
        judge=_addressed,
        plan="""
            navigate url={base}/wp-admin/options-permalink.php
            click ref='radio "Post name"'
            click ref='button "Save Changes"'
        """,
    ),
    Task(
        name="recover an autosave in a second tab",
        judge=_recovered,
        plan="""
            navigate url='{base}/wp-admin/post.php?post={barrows}&action=edit'
            fill ref='document "Paragraph block"' value='Barrows with two wheels.'
            click ref='button "Preview"'
            click ref='menuitem "Preview in new tab*"'
            wait text='two wheels' target_id=t2
            navigate url='{base}/wp-admin/post.php?post={barrows}&action=edit' target_id=t2
            click ref='link "View the autosave"' target_id=t2
            click ref='button "Restore This Autosave"' target_id=t2
            click ref='button "Update"' target_id=t2
        """,
    ),
)
