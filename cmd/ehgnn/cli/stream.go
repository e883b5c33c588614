package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// stream predicts for node-link JSON on standard input, a line in, a line out.
func (u *useFlags) stream(a *app, cmd *cobra.Command, dir string) error {
	return errors.New("predict - is not built yet")
}
