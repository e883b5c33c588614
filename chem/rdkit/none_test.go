//go:build !rdkit

package rdkit

import (
	"errors"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// A build without RDKit says in one line which build has it.
func TestNone(t *testing.T) {
	tk, err := Toolkit()
	if tk != nil || !errors.Is(err, chem.ErrNoToolkit) || !strings.Contains(err.Error(), "make build-chem") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, %v", tk, err)
	}
}
