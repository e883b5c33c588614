// Package rdkit is the chemistry toolkit of package chem: RDKit's C++ libraries behind a
// small C interface (shim.h). It is the one package of the program with cgo, and only with
// build tag rdkit; without it Toolkit returns chem.ErrNoToolkit.
//
// Everything that needs no C++ is in package chem. Rules of the interface:
//
//   - No exception leaves a C function: each is made a class and a text (guard.hpp).
//   - A molecule belongs to one call at a time, as RDKit writes lazily computed values into
//     molecules that it only reads; the lock of the handle sees to it.
//   - Arrays go in and arrays come out; C keeps no pointer of Go's, and what C allocates is
//     freed here.
//   - What a hostile input could do is bounded before it reaches C: characters, atoms,
//     pixels. Recursion over large molecules has a stack of its own (guard.hpp).
package rdkit
