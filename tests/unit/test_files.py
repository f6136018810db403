"""Files are there as a whole or not at all."""

import stat

import pytest

from strap import Outputs, make_private, write_atomically


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_private_and_so_is_its_folder(tmp_path):
    path = tmp_path / "new" / "file"
    write_atomically(path, b"one ", b"two")
    assert path.read_bytes() == b"one two"
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_folders_on_the_way_are_private_too(tmp_path):
    write_atomically(tmp_path / "home" / "cache" / "http" / "file", b"")
    Outputs(tmp_path / "data" / "outputs").write(tmp_path / "data" / "outputs" / "x" / "y", b"")
    made = [tmp_path / name for name in ("home", "home/cache", "home/cache/http", "data")]
    assert {mode(path) for path in made} == {0o700}
    assert mode(tmp_path / "data" / "outputs") == 0o700


def test_a_folder_that_is_there_stays_as_it_is(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o755)
    make_private(tmp_path / "shared")
    write_atomically(tmp_path / "shared" / "file", b"")
    assert mode(tmp_path / "shared") == 0o755
    with pytest.raises(OSError, match="exists"):
        make_private(tmp_path / "shared" / "file")


def test_a_file_is_replaced_and_may_be_for_others(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_atomically(path, b"new", private=False)
    assert path.read_bytes() == b"new"
    (usual := tmp_path / "usual").touch()
    assert mode(path) == mode(usual)


def test_a_failure_keeps_the_old_file_and_leaves_no_part(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_atomically(path, b"new", "text")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(folder, b"new")
    assert path.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == [path, folder]


def test_a_part_that_somebody_else_made_is_not_written_to(tmp_path):
    path, part = tmp_path / "file", tmp_path / "part"
    part.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        write_atomically(path, b"new", part=part)
    assert not path.exists()
    assert not (tmp_path / "elsewhere").exists()
