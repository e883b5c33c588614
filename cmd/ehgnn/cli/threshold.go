package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// thresholdHelp describes --threshold for commands that use a trained run.
const thresholdHelp = "two classes: probability from which the rarer class is predicted, chosen on the validation set of the training: " + settings.ThresholdForms + " (default: the rule of the run)"

// registerThreshold registers --threshold.
func (u *useFlags) registerThreshold(cmd *cobra.Command) {
	cmd.Flags().StringVar(&u.threshold, "threshold", "", thresholdHelp)
}

// load reads a run and sets the requested threshold.
func (u *useFlags) load(a *app, dir string) (*session.Run, error) {
	r, err := a.runs.load(dir)
	if err != nil || u.threshold == "" {
		return r, err
	}
	changed := *r // the run may be used again
	if err := changed.Settings.Target.SetThreshold(u.threshold); err != nil {
		return nil, usage(err)
	}
	if text := session.ThresholdText(&changed.Settings.Target); text != "" {
		a.log.Info(text)
	}
	return &changed, nil
}

// notForLinks returns an error for flags that do not apply to a run of link prediction.
func notForLinks(cmd *cobra.Command, dir string, flags ...string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return usage(fmt.Errorf("--%s does not apply to link prediction, which the run in %s is for; ehgnn recommend ranks partners", name, dir))
		}
	}
	return nil
}
