//go:build rdkit

package rdkit

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ehgnn/ehgnn/chem"
)

// patterns is a list of SMARTS. A set of compiled patterns matches one molecule at a time, so each
// goroutine takes an idle set, or compiles one.
type patterns struct {
	compile func() (*compiled, *chem.Error)
	mu      sync.Mutex
	idle    []*compiled
}

// compiled is a handle that the garbage collector frees.
type compiled struct{ c *C.rd_patterns }

func compile(lines string) (*compiled, *chem.Error) {
	return made(lines, func(text *C.char, to **C.rd_patterns) C.rd_error { return C.rd_patterns_read(text, to) })
}

func catalogue(name string) (*compiled, *chem.Error) {
	return made(name, func(text *C.char, to **C.rd_patterns) C.rd_error { return C.rd_catalogue(text, to) })
}

func made(of string, by func(*C.char, **C.rd_patterns) C.rd_error) (*compiled, *chem.Error) {
	text := C.CString(of)
	defer C.free(unsafe.Pointer(text))
	p := &compiled{}
	if err := failure(by(text, &p.c)); err != nil {
		return nil, err
	}
	runtime.AddCleanup(p, func(c *C.rd_patterns) { C.rd_patterns_free(c) }, p.c)
	return p, nil
}

func (toolkit) Patterns(smarts ...string) (chem.Patterns, error) {
	for _, s := range smarts {
		if s == "" || len(s) > chem.MaxSMILES || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, invalid("the pattern %.80q, expected SMARTS of at most %d ASCII characters without blanks", s, chem.MaxSMILES)
		}
		if _, err := compile(s); err != nil {
			return nil, &chem.Error{Class: chem.Syntax, Text: fmt.Sprintf("the SMARTS %.80q does not parse", s)}
		}
	}
	lines := strings.Join(smarts, "\n")
	return &patterns{compile: func() (*compiled, *chem.Error) { return compile(lines) }}, nil
}

func (toolkit) Catalogue(name string) (chem.Patterns, error) {
	if !slices.Contains(chem.Catalogues(), name) {
		return nil, invalid("no catalogue %.80q; there are %s", name, strings.Join(chem.Catalogues(), ", "))
	}
	return &patterns{compile: func() (*compiled, *chem.Error) { return catalogue(name) }}, nil
}

func (p *patterns) First(of chem.Molecule) (int, error) {
	m, ok := of.(interface {
		small(func(c *C.rd_mol) C.rd_error) error
	})
	if !ok {
		return 0, invalid("a molecule of another toolkit")
	}
	set, err := p.take()
	if err != nil {
		return 0, err
	}
	var first C.int32_t
	failed := m.small(func(c *C.rd_mol) C.rd_error { return C.rd_patterns_first(set.c, c, &first) })
	runtime.KeepAlive(set)
	p.mu.Lock()
	p.idle = append(p.idle, set)
	p.mu.Unlock()
	return int(first), failed
}

// take returns a set that no other goroutine uses.
func (p *patterns) take() (*compiled, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		set := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return set, nil
	}
	p.mu.Unlock()
	set, err := p.compile()
	if err != nil {
		return nil, err
	}
	return set, nil
}
