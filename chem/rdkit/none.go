//go:build !rdkit

package rdkit

import "github.com/ehgnn/ehgnn/chem"

// Toolkit returns chem.ErrNoToolkit: this build has no chemistry toolkit.
func Toolkit() (chem.Toolkit, error) { return nil, chem.ErrNoToolkit }
