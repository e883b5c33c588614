package kernel

// Level names the instruction set the kernels use: generic, avx2 or avx512.
func Level() string { return level.String() }
