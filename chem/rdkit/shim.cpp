//go:build rdkit

// The shim is one translation unit: most of its time to compile is RDKit's headers.
#include "molecule.hpp"
#include "score.hpp"
#include "draw.hpp"
