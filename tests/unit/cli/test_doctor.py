"""``arbiter doctor``."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest

from arbiter.api import Arbiter
from arbiter.judges.local import PACKAGED, LocalJudge
from arbiter.settings import Settings
from tests.factories import make_sighting
from tests.unit.cli.conftest import LISBON, PORTO, Desk


def examined(desk: Desk, *arguments: str, status: int) -> dict[str, tuple[str, str]]:
    """Run the doctor and return status and detail of each check by name."""
    result = desk.run("doctor", *arguments, "--json")
    assert result.exit_code == status
    checks = [json.loads(line) for line in result.stdout.splitlines()]
    return {check["check"]: (check["status"], check["detail"]) for check in checks}


def test_a_sound_store_is_found_sound(desk: Desk) -> None:
    """Every check is made; an open review is worth a note."""
    found = examined(desk, status=0)
    assert {name: status for name, (status, _) in found.items()} == {
        "settings": "ok",
        "policy": "ok",
        "claim keys": "ok",
        "prompts": "ok",
        "disk": "ok",
        "integrity": "ok",
        "store": "ok",
        "embedding model": "ok",
        "named things": "ok",
        "local judge": "ok" if (PACKAGED / "judge.json").exists() else "note",
        "judge": "ok",
        "unfinished": "ok",
        "vectors": "ok",
        "index": "ok",
        "reviews": "note",
    }
    assert found["reviews"] == ("note", "1 wait for a person")
    assert found["store"] == ("ok", f"{desk.path}, 1 namespaces with facts")


def test_before_there_is_a_store_the_rest_is_checked(empty: Desk) -> None:
    """A fresh installation is sound, and the doctor makes no store."""
    found = examined(empty, status=0)
    assert found["store"] == ("note", f"there is none at {empty.path} yet")
    assert found["embedding model"][0] == "ok"
    assert not empty.path.exists()


def test_facts_without_a_vector_are_embedded_on_request(empty: Desk) -> None:
    """The doctor says what is missing, what to run, and afterwards that all is well."""
    empty.keep([LISBON, PORTO], embedded=False)
    found = examined(empty, status=1)
    assert found["vectors"] == (
        "wrong",
        "2 facts without a vector of this model; run `arbiter doctor --re-embed`",
    )
    repaired = empty.run("doctor", "--re-embed")
    assert (repaired.exit_code, repaired.stderr) == (0, "2 facts embedded\n")
    assert "ok    vectors: 0 facts without a vector of this model" in repaired.stdout.splitlines()


def test_vectors_of_another_model_are_noted(desk: Desk) -> None:
    """After a change of the model its vectors are of no use, and the facts need new ones."""
    with Arbiter.open(desk.path, Settings(judge="none")) as arbiter:
        context = arbiter.context
        ids = list(context.store.fact_ids("default"))
        with context.store.writing("default") as tx:
            tx.put_vectors("other@1", ids[:2], context.embedder.embed(["a", "b"]))
    assert examined(desk, status=0)["other vectors"] == (
        "note",
        "2 of other@1: not read by the model in use",
    )


def test_interrupted_facts_are_finished_on_request(empty: Desk) -> None:
    """A record whose judging was cut off is told, and --repair finishes it."""
    with Arbiter.open(empty.path, Settings(judge="none")) as arbiter:
        sighting = make_sighting("User likes tea.")
        with arbiter.context.store.writing("default") as tx:
            tx.arrive([sighting], {}, {sighting.fact_id: frozenset()})
    found = examined(empty, status=1)
    assert found["unfinished"] == (
        "wrong",
        "1 facts whose judging was interrupted; run `arbiter doctor --repair`",
    )
    repaired = empty.run("doctor", "--repair")
    assert repaired.exit_code == 0
    assert repaired.stderr.startswith("1 facts finished, ")
    assert empty.states() == {"User likes tea.": ("active", None, False)}


def test_a_damaged_file_is_told(desk: Desk) -> None:
    """A page of garbage is found by the checks of the database itself."""
    content = bytearray(desk.path.read_bytes())
    content[8192:12288] = b"\xff" * 4096
    desk.path.write_bytes(content)
    result = desk.run("doctor")
    assert result.exit_code == 1
    assert any(line.startswith("wrong integrity: ") for line in result.stdout.splitlines())


def test_a_file_that_is_no_store_is_told(empty: Desk) -> None:
    """It is left as it is."""
    empty.path.write_text("no database, but long enough to be taken for one" * 100)
    before = empty.path.read_bytes()
    found = examined(empty, status=1)
    way_out = "run `arbiter doctor --repair`; if that does not help, put a backup in its place"
    assert found["integrity"] == ("wrong", f"file is not a database; {way_out}")
    assert found["store"][0] == "wrong"
    assert empty.path.read_bytes() == before


def test_faulty_settings_end_the_examination(desk: Desk, tmp_path: Path) -> None:
    """The first check tells every fault; the rest could only guess."""
    config = tmp_path / "arbiter.toml"
    config.write_text("max_candidates = 0\nllm_modle = 'x'\n")
    found = examined(desk, "--config", str(config), status=1)
    assert list(found) == ["settings"]
    status, detail = found["settings"]
    assert status == "wrong"
    assert "max_candidates: " in detail
    assert "llm_modle: no such setting; did you mean llm_model?" in detail


def test_the_judge_that_is_tried_is_the_one_in_use(
    empty: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of its own is named with its own digest, and so is what the judges are called."""
    folder = copytree(PACKAGED, tmp_path / "own")
    card = json.loads((folder / "judge.json").read_text(encoding="utf-8"))
    (folder / "judge.json").write_text(json.dumps({**card, "temperature": 2.5}), encoding="utf-8")
    monkeypatch.setenv("ARBITER_LOCAL_JUDGE", str(folder))
    own = LocalJudge(folder).judge_id
    assert own != LocalJudge().judge_id
    found = examined(empty, "--judge", "local", status=0)
    assert found["local judge"] == ("ok", f"{own}, {folder}")
    assert found["judge"][1].endswith(f" > {own}")


def test_a_folder_without_a_judge_is_told_as_such(
    empty: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is said about the store, which is not to blame."""
    monkeypatch.setenv("ARBITER_LOCAL_JUDGE", str(tmp_path))
    found = examined(empty, "--judge", "local", status=1)
    assert (found["local judge"][0], "store" in found) == ("wrong", False)


def test_to_do_without_a_local_judge_is_sound(empty: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the settings leave out is not tried."""
    monkeypatch.setenv("ARBITER_LOCAL_JUDGE", "none")
    assert examined(empty, status=0)["local judge"] == ("ok", "none, as set")


@pytest.mark.parametrize("flag", ["--repair", "--re-embed"])
def test_there_is_nothing_to_repair_where_there_is_no_store(empty: Desk, flag: str) -> None:
    """To repair a store that is not there is a mistake in the path."""
    result = empty.run("doctor", flag)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no store at" in result.stderr


def test_kept_indexes_are_shown_and_repair_drops_them(desk: Desk) -> None:
    """What lies beside the store is only a cache: the doctor says where and how large, and may delete it."""
    folder = desk.path.with_name("facts.db.index")
    folder.mkdir()
    (folder / "0123.graph").write_bytes(bytes(1_500_000))
    assert examined(desk, status=0)["kept indexes"] == ("ok", f"1 of 1.5 MB in {folder}")
    repaired = desk.run("doctor", "--repair")
    assert repaired.exit_code == 0
    assert "1 kept vector indexes are built again when they are needed" in repaired.stderr.splitlines()
    assert list(folder.iterdir()) == []
    assert "kept indexes" not in examined(desk, status=0)
