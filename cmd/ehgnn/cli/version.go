package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/version"
)

// versionResult is the output of version: the build, and the chemistry toolkit in it, if any.
type versionResult struct {
	version.Info
	Chemistry string `json:"chemistry,omitempty"`
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the instruction set in use and the chemistry toolkit",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return a.printVersion() },
	}
}

// printVersion implements the command version and the flag --version.
func (a *app) printVersion() error {
	v := versionResult{Info: version.Get(kernel.Level())}
	chemistry := "none (make build-chem)"
	if toolkit, err := rdkit.Toolkit(); err == nil {
		v.Chemistry = toolkit.Version()
		chemistry = v.Chemistry
	}
	return a.emit(v, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "ehgnn %s, chemistry: %s\n", v.Info, chemistry)
		return err
	})
}
