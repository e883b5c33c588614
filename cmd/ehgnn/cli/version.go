package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/version"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the instruction set in use",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			v := version.Get(kernel.Level())
			return a.emit(v, func(w io.Writer) error {
				commit := v.Commit
				if commit == "" {
					commit = "unknown commit"
				}
				_, err := fmt.Fprintf(w, "ehgnn %s (%s), %s %s/%s, kernels: %s\n", v.Version, commit, v.Go, v.OS, v.Arch, v.SIMD)
				return err
			})
		},
	}
}
