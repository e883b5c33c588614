//go:build rdkit

package rdkit

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/ehgnn/ehgnn/chem"
)

// failure converts an error that a C function returned, and frees its text.
func failure(e C.rd_error) *chem.Error {
	if e.class_ == C.RD_OK {
		return nil
	}
	defer C.free(unsafe.Pointer(e.text))
	return &chem.Error{Class: chem.Class(e.class_), Text: C.GoString(e.text)}
}

func invalid(format string, args ...any) *chem.Error {
	return &chem.Error{Class: chem.Invalid, Text: fmt.Sprintf(format, args...)}
}

// taken copies memory that C allocated and frees it.
func taken[T any](d C.rd_data) []T {
	defer C.free(d.data)
	return append([]T{}, unsafe.Slice((*T)(d.data), int(d.size))...)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
