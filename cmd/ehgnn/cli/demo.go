package cli

import (
	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/experiment"
)

func newDemo(a *app) *cobra.Command { return a.experiment(experiment.Demo) }
