package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
)

// trainLabels trains a run for each of several labels of edges or nodes, in folders of --out.
func (t *trainFlags) trainLabels(a *app, cmd *cobra.Command, args []string, requests []session.Request, runs []session.LabelRun) error {
	for k, r := range requests { // all labels are checked before the first training
		if _, err := session.Open(cmd.Context(), r); err != nil {
			return ofLabel(runs[k], failure(err))
		}
	}
	out := cmp.Or(t.out, filepath.Join("runs", strings.ToLower(nameOf(requests[0].Path))))
	if err := session.BeginLabelRuns(out, runs, t.resume); err != nil {
		return failure(err)
	}
	var results []*session.TrainResult
	for k, r := range requests {
		one := *t
		one.out = filepath.Join(out, runs[k].Dir)
		a.log.Info("training", "label", runs[k].Label, "of", len(runs))
		in, err := session.Read(cmd.Context(), r)
		if err != nil {
			return ofLabel(runs[k], failure(err))
		}
		err = one.train(a, cmd, args, r, in, func(res *session.TrainResult, text func(io.Writer) error) error {
			if results = append(results, res); a.json {
				return nil
			}
			return a.emit(nil, func(w io.Writer) error {
				return errors.Join(writeLines(w, "Label "+runs[k].Label), text(w), writeLines(w, ""))
			})
		})
		if err != nil {
			if cmd.Context().Err() != nil {
				a.tell("ehgnn: the command with --resume trains this label and those that follow")
			}
			return ofLabel(runs[k], err)
		}
	}
	return a.emit(map[string]any{"run": out, "labels": results}, func(w io.Writer) error {
		return writeLines(w, fmt.Sprintf("ehgnn predict %s DATA predicts all %d labels", quoted(out), len(runs)))
	})
}

// predictLabels predicts with the run of each label. The columns of the data are the same for all runs.
func (u *useFlags) predictLabels(a *app, cmd *cobra.Command, args []string, runs []session.LabelRun) error {
	for _, flag := range slices.Concat(rankNames[:3], []string{"threshold"}) {
		if cmd.Flags().Changed(flag) {
			return usage(fmt.Errorf("--%s is for the run of one label, and %s has several: %s", flag, args[0], session.NameDirs(runs)))
		}
	}
	u.rowsAlone = true
	var out report.Table
	names := lists.Map(runs, func(r session.LabelRun) string { return r.Label }) // taken
	var first *session.Predictions
	for _, r := range runs {
		s, err := u.open(a, cmd, []string{r.Dir, args[1]})
		if err != nil {
			return ofLabel(r, err)
		}
		p, err := s.Predictions(cmd.Context(), u.split)
		if err != nil {
			return ofLabel(r, failure(err))
		}
		u.remark(a, s)
		if first == nil {
			first = p
			for _, c := range p.Columns[:p.Keys] {
				if !slices.Contains(names, c.Name) { // the labels are beside the predictions
					names, out.Columns = append(names, c.Name), append(out.Columns, c)
				}
			}
		} else if !slices.Equal(p.IDs(), first.IDs()) {
			return usage(fmt.Errorf("part %s of label %s has other rows than that of label %s; name one of the runs: %s", u.split, r.Label, runs[0].Label, session.NameDirs(runs)))
		}
		for _, c := range p.Columns[p.Keys:] {
			c.Name = source.FreeName(c.Name+"_"+r.Label, names)
			names, out.Columns = append(names, c.Name), append(out.Columns, c)
		}
	}
	return u.write(a, &out)
}

// evaluateLabels scores the run of each label.
func (u *useFlags) evaluateLabels(a *app, cmd *cobra.Command, args []string, runs []session.LabelRun) error {
	var out []*session.Evaluation
	for _, r := range runs {
		e, err := u.evaluate(a, cmd, append([]string{r.Dir}, args[1:]...))
		if err != nil {
			return ofLabel(r, err)
		}
		out = append(out, e)
	}
	return a.emit(out, func(w io.Writer) error {
		for k, r := range runs {
			if err := errors.Join(writeLines(w, "Label "+r.Label), out[k].Text(w)); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachLabel replaces folders that have a run for each label by these runs.
func eachLabel(dirs []string) (out []string, err error) {
	for _, dir := range dirs {
		runs, err := session.ReadLabelRuns(dir)
		if err != nil {
			return nil, err
		}
		if runs == nil {
			out = append(out, dir)
		}
		for _, r := range runs {
			out = append(out, r.Dir)
		}
	}
	return out, nil
}

// labelError is an error of the run of a label.
type labelError struct {
	label string
	error
}

func ofLabel(r session.LabelRun, err error) error { return labelError{r.Label, err} }

func (e labelError) Error() string {
	return "label " + e.label + ": " + sanitize.WithoutPackage(e.error.Error())
}

func (e labelError) Unwrap() error { return e.error }
