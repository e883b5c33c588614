package cli

import (
	"errors"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
)

// toolkit is the chemistry toolkit of this build; nil for none.
func (a *app) toolkit() chem.Toolkit {
	tk, err := rdkit.Toolkit()
	if err != nil && !errors.Is(err, chem.ErrNoToolkit) {
		a.log.Error("no chemistry", "error", err)
	}
	return tk
}
