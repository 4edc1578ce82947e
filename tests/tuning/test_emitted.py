"""What an editor shows of a tunable operation is the configuration that a run gets."""

from __future__ import annotations

from pathlib import Path

from ttl.service.emitted import ir_of, kernels_of
from ttl.session import Session
from tuning.test_choice import chosen, write


def test_the_ir_and_the_kernels_are_those_of_the_chosen_size(tmp_path: Path) -> None:
    write(tmp_path, "@ttl.tunable(width=[4], count=ttl.as_large_as_fits(1, 2, 64, 80, 128, 512))")
    assert chosen(tmp_path) == "width=4, count=80"
    path = str(tmp_path / "example.py")
    with Session().entered():
        emitted = kernels_of(path)
        assert [finding.code for finding in emitted.findings] == ["TTL0245"]
        assert {kernel.name for kernel in emitted.kernels} == {"read", "compute", "write"}
        assert "!ttl.dfb<[1, 4], !ttl.tile<32x32, bf16>, 80>" in ir_of(path).ir
