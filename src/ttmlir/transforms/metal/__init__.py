"""The passes from TTIR to TTMetal, one module for each; ``ttmlir.transforms.pipelines`` has their order."""
