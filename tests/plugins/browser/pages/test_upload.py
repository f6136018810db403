"""Files: from the folders that allow it, into the field that is meant."""

import asyncio

import pytest

from .conftest import ref_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


@pytest.fixture
def files(outputs):
    outputs.mkdir(parents=True, exist_ok=True)
    for name in ("a", "b"):
        (outputs / f"{name}.txt").write_text(f"text of {name}")
    return outputs


async def told(page, answer, words):
    """Whether the page says so: in the answer, or a little later, as it has to read the files."""
    return words in answer or words in await page("wait", text=words)


async def test_field(page, files):
    await page.open("upload.html")
    answer = await page("upload", selector="#photo", paths=["a.txt"])
    assert answer.startswith("Put 'a.txt' (9 bytes) into '#photo'.")
    assert await told(page, answer, "Got a.txt=text of a")


async def test_the_snapshot_has_the_names_of_the_files(page, files):
    await page.show("<input type=file multiple aria-label=Photos>")
    assert await page.ref('button "Photos"')
    await page("upload", selector="input", paths=["a.txt", "b.txt"])
    assert ": a.txt, b.txt\n" in await page("snapshot", text="Photos")
    cleared = await page("evaluate", text="document.querySelector('input').value = ''")
    assert "a.txt" not in cleared + await page("snapshot", text="Photos")


async def test_one_path_as_a_string(page, files):
    await page.open("upload.html")
    answer = await page("upload", selector="#photo", paths=str(files / "a.txt"))
    assert await told(page, answer, "Got a.txt=text of a")


async def test_label_of_a_hidden_field(page, files):
    ref = ref_in(await page.open("upload.html"), 'button "Attach"')
    answer = await page("upload", ref=ref, paths=["a.txt", "b.txt"])
    assert await told(page, answer, "Got a.txt=text of a b.txt=text of b")


LAID_OVER = "position: absolute; inset: 0; opacity: 0"
OVER = f"""<div style="position: relative"><button>Attach</button>
<input type=file tabindex=-1 aria-hidden=true style="{LAID_OVER}"
onchange="said.textContent = 'Got ' + this.files[0].name"></div><p id=said></p>"""


async def test_field_over_a_button_that_only_the_mouse_finds(page, files):
    await page.show(OVER)
    ref = ref_in(await page("snapshot"), 'button "Choose File"')
    assert await told(page, await page("upload", ref=ref, paths=["a.txt"]), "Got a.txt")


async def test_button_under_a_field(page, files):
    await page.show(OVER)
    await page("snapshot")
    error = await page.fails("upload", ref=await page.ref('button "Attach"'), paths=["b.txt"])
    assert "What lies over it is e" in str(error)


async def test_button_that_asks(page, files):
    await page.open("upload.html")
    answer = await page("upload", selector="#pick", paths=["b.txt"])
    assert await told(page, answer, "Got b.txt=text of b")
    assert "give it with" not in answer


async def test_page_that_asks_already(page, files):
    await page.open("upload.html")
    answer = await page("click", selector="#pick")
    async with asyncio.timeout(10):  # on a busy machine the browser tells of it a little later
        while "The page asks for a file: give it with `upload`." not in answer:
            answer = await page("snapshot")
    assert await told(page, await page("upload", paths=["a.txt"]), "Got a.txt=text of a")


DROP = """
const zone = Object.assign(document.createElement("div"), { id: "zone", textContent: "Drop here" });
zone.ondragover = (event) => event.preventDefault();
zone.ondrop = async (event) => {
  event.preventDefault();
  const files = [...event.dataTransfer.items].map((item) => item.getAsFile());
  const texts = await Promise.all(files.map(async (file) => file.name + "=" + (await file.text())));
  zone.textContent = "Dropped " + texts.join(" ");
};
document.body.append(zone); 0"""
PICKER = """
pick.onclick = () => showOpenFilePicker().catch(({ name }) => { idle.textContent = name; }); 0"""


async def test_a_zone_without_a_field_gets_them_dropped(page, files):
    await page.open("upload.html")
    await page("evaluate", text=DROP)
    answer = await page("upload", selector="#zone", paths=["a.txt", "b.txt"])
    assert answer.startswith("Dropped 'a.txt' (9 bytes), 'b.txt' (9 bytes) onto '#zone'.")
    assert await told(page, answer, "Dropped a.txt=text of a b.txt=text of b")


async def test_what_neither_asks_nor_takes_any_is_told(page, files):
    await page.open("upload.html")
    error = await page.fails("upload", selector="#idle", paths=["a.txt"])
    assert error.code == "no_file_field"
    assert "takes no dropped ones either" in str(error)
    assert "/upload.html" in await page("list_pages")


@pytest.mark.parametrize("action", ["click", "upload"])
async def test_a_picker_that_cannot_be_answered_is_told(page, files, action):
    await page.open("upload.html")
    await page("evaluate", text=PICKER)
    if action == "click":
        answer = await page("click", selector="#pick")
        async with asyncio.timeout(10):
            while "showOpenFilePicker), which cannot be answered" not in answer:
                answer = await page("snapshot")
    else:
        await page("evaluate", text="ondragover = (event) => event.preventDefault(); 0")
        error = await page.fails("upload", selector="#pick", paths=["a.txt"])
        assert error.code == "no_file_field"
        assert "picker of the browser, which cannot be answered" in str(error)
        assert "picker of the browser" in await page("snapshot")


async def test_only_field_of_the_page(page, files):
    await page.open("upload.html")
    assert "Which field?" in str(await page.fails("upload", paths=["a.txt"]))
    await page("evaluate", text="photo.remove(); 0")
    assert await told(page, await page("upload", paths=["a.txt"]), "Got a.txt=text of a")


async def test_bad_input(page, files, tmp_path):
    await page.open("upload.html")
    (tmp_path / "secret").write_text("secret")
    (files / "link").unlink(missing_ok=True)
    (files / "link").symlink_to(tmp_path / "secret")
    for path in ("../secret", "/etc/passwd", str(tmp_path / "secret"), "link"):
        error = await page.fails("upload", selector="#photo", paths=[path])
        assert f"{path!r} is outside the folders for uploads. Files may come from" in str(error)
    error = await page.fails("upload", selector="#photo", paths=["none.txt"])
    assert error.code == "no_file"
    assert "There is no file 'none.txt'. Files in " in str(error)
    assert "a.txt" in str(error)
    assert "is a folder" in str(await page.fails("upload", selector="#photo", paths=["."]))
    assert "is not a path" in str(await page.fails("upload", selector="#photo", paths=["a\0b"]))
    (files / "loop").symlink_to(files / "loop")
    (files / "away").symlink_to(tmp_path)
    for path in ("loop", "loop/a.txt", "loop/../away/secret"):
        error = await page.fails("upload", selector="#photo", paths=[path])
        assert "is not a path" in str(error) or "is outside the folders" in str(error)
    for path in ("x" * 5_000, "x/" * 2_500, "x" * 300):
        error = await page.fails("upload", selector="#photo", paths=[path])
        assert error.code in ("invalid_arguments", "no_file")
    error = await page.fails("upload", selector="#photo", paths=["a.txt", "b.txt"])
    assert error.code == "for_one_file"
    assert str(error) == "'#photo' takes one file. Give one path."
    error = await page.fails("upload", selector="#idle", paths=["a.txt"])
    assert error.code == "no_file_field"
    assert str(error).startswith("Clicked '#idle', but that asked for no file. Give the field")
    assert "'paths' is missing" in str(await page.fails("upload", selector="#photo"))
    assert "None" in await page("snapshot")


async def test_fields_that_take_no_file(page, files):
    await page.open("upload.html")
    await page("evaluate", text="photo.disabled = true; hidden.webkitdirectory = true; 0")
    error = await page.fails("upload", selector="#photo", paths=["a.txt"])
    assert error.code == "disabled"
    assert str(error).startswith("'#photo' is disabled. The page may ask for something else")
    error = await page.fails("upload", selector="#hidden", paths=["a.txt"])
    assert error.code == "for_a_folder"
    assert str(error) == "'#hidden' takes a whole folder. upload gives files only."
    assert "None" in await page("snapshot")


async def test_a_field_that_is_moved_off_the_page_has_a_ref_to_give_files_to(page, files):
    off = "style='position:absolute;left:-9999px'"
    field = f"<input type=file {off} onchange='document.title = this.files[0].name'>"
    await page.show(f"<button>Pick</button>{field}")
    ref = ref_in(await page("snapshot"), 'button "Choose File"')
    assert 'Title: "a.txt"' in await page("upload", ref=ref, paths=["a.txt"])
    assert (await page.fails("click", ref=ref)).code == "off_screen"
