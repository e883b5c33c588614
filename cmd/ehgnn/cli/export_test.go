package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/session"
)

// TrainWithoutReport trains like the command train, and writes the run folder without the report
// and the card. Their pictures take much longer than a training of a few epochs.
func TrainWithoutReport(ctx context.Context, args ...string) error {
	a := &app{State: State{Args: args, Stdout: io.Discard, Stderr: io.Discard}}
	t := &trainFlags{}
	cmd := &cobra.Command{Use: "train", RunE: func(cmd *cobra.Command, args []string) error {
		r, err := t.request(a, cmd, args)
		if err != nil {
			return err
		}
		s, err := session.Open(ctx, r)
		if err != nil {
			return err
		}
		_, err = s.Train(ctx, session.TrainOptions{Dir: t.out})
		return err
	}}
	cmd.Flags().StringVar(&t.out, "out", "", "")
	t.register(cmd, "")
	root := a.root()
	root.ResetCommands()
	root.AddCommand(cmd)
	root.SetArgs(append([]string{"train"}, args...))
	return root.Execute()
}
