func.func @loops() {
    affine.for %i = 0 to 8 { 
      %u = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    }
    return
}
