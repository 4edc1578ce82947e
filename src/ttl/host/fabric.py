"""Links between devices, and where the runtime runs: settings of the real library, without effect on results."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from ttl.arch.chip import EthernetLink
from ttl.host.calling import checked, public
from ttl.host.config import Configuration
from ttl.host.errors import Code, describe, fail
from ttl.session import Part
from ttl.settings import current_chip

__all__ = (
    "DispatchCoreAxis", "DispatchCoreConfig", "DispatchCoreType", "FabricConfig", "FabricManagerMode", "FabricReliabilityMode",
    "FabricRouterConfig", "FabricTensixConfig", "FabricUDMMode", "get_fabric_config", "set_fabric_config",
)  # fmt: skip


class FabricConfig(StrEnum):
    """How devices are linked."""

    DISABLED = "DISABLED"
    CUSTOM = "CUSTOM"
    FABRIC_1D = "FABRIC_1D"
    FABRIC_1D_NEIGHBOR_EXCHANGE = "FABRIC_1D_NEIGHBOR_EXCHANGE"
    FABRIC_1D_RING = "FABRIC_1D_RING"
    FABRIC_2D = "FABRIC_2D"
    FABRIC_2D_TORUS_X = "FABRIC_2D_TORUS_X"
    FABRIC_2D_TORUS_Y = "FABRIC_2D_TORUS_Y"
    FABRIC_2D_TORUS_XY = "FABRIC_2D_TORUS_XY"


class FabricReliabilityMode(StrEnum):
    """The behaviour when a link is down."""

    STRICT_INIT = "STRICT_INIT"
    RELAXED_INIT = "RELAXED_INIT"
    DYNAMIC_RECONFIG = "DYNAMIC_RECONFIG"


class FabricTensixConfig(StrEnum):
    """Whether compute nodes take part in forwarding."""

    DISABLED = "DISABLED"
    MUX = "MUX"


class FabricManagerMode(StrEnum):
    """The component that keeps the routers running."""

    DEFAULT = "DEFAULT"
    ENABLED = "ENABLED"
    INIT_FABRIC = "INIT_FABRIC"
    TERMINATE_FABRIC = "TERMINATE_FABRIC"


class FabricUDMMode(StrEnum):
    """Whether transfers between chips look like those on a chip."""

    DISABLED = "DISABLED"
    ENABLED = "ENABLED"


@checked
class FabricRouterConfig:
    """How routers are set up: the largest payload of a packet, None for the usual one."""

    def __init__(self) -> None:
        self.max_packet_payload_size_bytes: int | None = None


class DispatchCoreType(StrEnum):
    """On which cores the runtime hands out work."""

    WORKER = "WORKER"
    ETH = "ETH"


class DispatchCoreAxis(StrEnum):
    """Whether those are a row or a column of the grid."""

    ROW = "ROW"
    COL = "COL"


class DispatchCoreConfig(Configuration):
    """Cores that the runtime hands out work on."""

    fields = ("type", "axis", "fabric_tensix_config")

    def __init__(self, *unnamed: Any, **values: Any) -> None:
        for name, value in zip(self.fields, unnamed, strict=False):
            if not isinstance(value, StrEnum):
                fail(Code.WRONG_KIND, f"ttnn.DispatchCoreConfig: {name} is not {describe(value)}")
            values.setdefault(name, value)
        super().__init__(*unnamed[len(self.fields) :], **values)


def ethernet() -> EthernetLink:
    """Return the Ethernet port of the chip that the settings choose."""
    return current_chip().ethernet


_FABRIC: Part[FabricConfig] = Part(lambda: FabricConfig.DISABLED)


@public(
    "reliability_mode",
    "num_planes",
    "fabric_tensix_config",
    "fabric_udm_mode",
    "fabric_manager_mode",
)
def set_fabric_config(config: FabricConfig, reliability_mode: Any = None, router_config: Any = None) -> None:
    """Choose how devices are linked. Transfers between simulated devices need no links to be set up."""
    if router_config is not None and not isinstance(router_config, FabricRouterConfig):
        fail(
            Code.WRONG_KIND,
            f"ttnn.set_fabric_config: router_config is a ttnn.FabricRouterConfig, not {describe(router_config)}",
        )
    size = None if router_config is None else router_config.max_packet_payload_size_bytes
    if size is not None and size != (most := ethernet().packet_bytes):
        fail(
            Code.UNSUPPORTED,
            f"ttnn.set_fabric_config: packets of {size} bytes, and those here have {most} at most",
            help="packet_bytes in the [link] of a system's TOML file (--system FILE.toml) changes that",
        )
    if not isinstance(config, FabricConfig):
        names = ", ".join(f"ttnn.FabricConfig.{config.name}" for config in FabricConfig)
        fail(
            Code.WRONG_KIND,
            f"ttnn.set_fabric_config: there is no configuration {describe(config)}",
            help=f"one of {names}",
        )
    _FABRIC.set(config)


@public()
def get_fabric_config() -> FabricConfig:
    """How devices are linked."""
    return _FABRIC.get()
