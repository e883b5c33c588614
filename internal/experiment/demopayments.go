package experiment

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
)

// demoPayments has the results for generated payments.
type demoPayments struct {
	Payments int     `json:"payments"`
	Accounts int     `json:"accounts"`
	Frauds   int     `json:"frauds"`
	ROCAUC   float64 `json:"roc_auc"` // on the test part
	AP       float64 `json:"average_precision"`
	// Chance is the average precision of a random order: the share of frauds in the test part.
	Chance  float64      `json:"chance"`
	Learner []auto.Entry `json:"leaderboard"`
	Seconds float64      `json:"seconds"`
	Run     string       `json:"run"` // folder
}

// Size of the demonstration.
const (
	demoAccounts     = 300
	demoPaymentCount = 4000
)

// payments writes a table of payments and trains the default model on it.
func (d *demo) payments(r *demoResult) error {
	t, err := synth.NewTransactions(demoAccounts, demoPaymentCount, d.seed)
	if err != nil {
		return err
	}
	if err := d.ctx.Err(); err != nil { // before anything is written
		return err
	}
	t.AddDoubt(d.seed)
	path := filepath.Join(d.dir, "payments")
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{"nodes.csv": t.WriteNodes, "edges.csv": t.WriteEdges} {
		if err := atomicfile.Write(filepath.Join(path, name), write); err != nil {
			return err
		}
	}
	out := &r.Payments
	out.Payments, out.Accounts, out.Run = len(t.Payments), len(t.Accounts), filepath.Join(d.dir, "payments-run")
	for _, p := range t.Payments {
		if p.Fraud {
			out.Frauds++
		}
	}
	if err := os.RemoveAll(out.Run); err != nil { // of an earlier demonstration
		return err
	}
	s, err := session.Open(d.ctx, session.Request{Path: path, Task: task.EdgeClassification.Name, Model: model.AutoName, Seed: d.seed, Threads: d.threads,
		Given: settings.Values{"split": settings.SplitTime, "quality": model.QualityFast}})
	if err != nil {
		return err
	}
	n := 0
	res, err := s.Train(d.ctx, session.TrainOptions{Dir: out.Run, OnEntry: func(e auto.Entry) {
		if n++; d.onStage != nil {
			d.onStage("payments", n, demoEntries, e.String())
		}
	}})
	if err != nil {
		return err
	}
	out.Learner, out.Seconds = res.Leaderboard, res.Seconds
	out.ROCAUC, _ = res.Test.Get("roc_auc")
	out.AP, _ = res.Test.Get("average_precision")
	latest := t.Payments[len(t.Payments)*4/5:]
	for _, p := range latest {
		if p.Fraud {
			out.Chance += 1 / float64(len(latest))
		}
	}
	return nil
}

// demoEntries is the number of leaderboard entries of the demonstration, for its progress.
const demoEntries = 7

// board returns the entries of the leaderboard: learner and columns, loss, and distance to the best.
func (p demoPayments) board() (rows [][]string) {
	for _, e := range p.Learner {
		row := []string{e.Learner + ", " + e.Columns, fmt.Sprintf("%.4f ± %.4f", e.Loss, e.Error), ""}
		if e.Kept {
			row[0] += " *"
		}
		if e.Behind != 0 {
			row[2] = fmt.Sprintf("%.4f ± %.4f", e.Behind, e.BehindError)
		}
		rows = append(rows, row)
	}
	return rows
}

// lines is the leaderboard as text.
func (p demoPayments) lines() report.Lines {
	out := report.Lines{
		fmt.Sprintf("Labels of edges: %d of %d payments between %d accounts are fraud; the latest fifth is tested", p.Frauds, p.Payments, p.Accounts),
		fmt.Sprintf("  %-34s  %-18s  %s", "", "validation loss", "behind the chosen"),
	}
	for _, row := range p.board() {
		out = append(out, strings.TrimRight(fmt.Sprintf("  %-34s  %-18s  %s", row[0], row[1], row[2]), " "))
	}
	return append(out, fmt.Sprintf("  test: ROC-AUC %.3f, average precision %.3f (chance: 0.5 and %.3f)", p.ROCAUC, p.AP, p.Chance))
}
