package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/session"
)

func newReport(a *app) *cobra.Command {
	u := &useFlags{untested: true}
	card := ""
	cmd := &cobra.Command{
		Use:   "report RUN [DATA]",
		Short: "Write the report and the model card of a trained run again",
		Long: `Write the report and the model card of a trained run again, into its folder: report.html,
which needs no network and shows all content without scripts, and README.md. train writes both.

DATA is the current path of the training data, if they have moved. A README.md that this
program did not write is not changed.`,
		Example: "  ehgnn report runs/mutag\n  ehgnn report runs/mutag MUTAG.zip --card purpose.md",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			purpose := ""
			if card != "" {
				text, err := os.ReadFile(card)
				if err != nil {
					return usage(fmt.Errorf("--card: %w", err))
				}
				purpose = string(text)
			}
			if run.IsRun(args[0]) {
				if err := run.Rewrite(args[0]); err != nil {
					return failure(err)
				}
				return writeLines(a.Stdout, "written: "+filepath.Join(args[0], report.PageFile))
			}
			s, err := u.open(a, cmd, args)
			if err != nil {
				return err
			}
			files, _, err := writeReview(cmd.Context(), a, s, args[0], purpose)
			if err != nil {
				return failure(err)
			}
			return a.emitFiles(map[string]any{"run": args[0], "files": files}, func(w io.Writer) error {
				return writeLines(w, "written: "+strings.Join(files, ", "))
			})
		},
	}
	u.registerData(cmd)
	cmd.Flags().StringVar(&card, "card", "", "Markdown file with the author's statement about purpose and limits, for the model card (default: not stated)")
	return cmd
}

// writeReview writes the report and the card of a run whose data are open, and returns warnings.
func writeReview(ctx context.Context, a *app, s *session.Session, dir, purpose string) (files, warnings []string, err error) {
	r, err := review.Of(ctx, s, dir, review.Options{Toolkit: a.toolkit(), Purpose: purpose})
	if err != nil {
		return nil, nil, err
	}
	files, err = r.Write()
	return files, r.Warnings(), err
}

// command is the command line of the program, quoted for a shell.
func (a *app) command() string {
	return strings.Join(append([]string{"ehgnn"}, lists.Map(a.Args, quoted)...), " ")
}

// quoted is a word quoted for a shell.
func quoted(word string) string {
	if bareWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// bareWord is a word that needs no quotes in a shell.
var bareWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
