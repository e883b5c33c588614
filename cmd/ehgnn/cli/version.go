package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/version"
)

// versionResult is what version prints: the build, and the chemistry toolkit in it, if any.
type versionResult struct {
	version.Info
	Chemistry string `json:"chemistry,omitempty"`
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the instruction set in use and the chemistry toolkit",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v := versionResult{Info: version.Get(kernel.Level())}
			if toolkit, err := rdkit.Toolkit(); err == nil {
				v.Chemistry = toolkit.Version()
			}
			return a.emit(v, func(w io.Writer) error {
				commit := v.Commit
				if commit == "" {
					commit = "unknown commit"
				}
				chemistry := v.Chemistry
				if chemistry == "" {
					chemistry = "none (make build-chem)"
				}
				_, err := fmt.Fprintf(w, "ehgnn %s (%s), %s %s/%s, kernels: %s, chemistry: %s\n", v.Version, commit, v.Go, v.OS, v.Arch, v.SIMD, chemistry)
				return err
			})
		},
	}
}
