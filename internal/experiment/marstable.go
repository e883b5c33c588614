package experiment

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/generate/mars"
	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/report"
)

// marsTable has the finished runs.
type marsTable struct {
	marsRequest
	kinases *kinases
	lists   []*marsList
	runs    []marsRun // by list, row and seed
}

// of returns the runs of a row on a list, by seed.
func (t marsTable) of(list, row int) []marsRun {
	n := len(t.seeds)
	return t.runs[(list*len(t.rows)+row)*n:][:n]
}

// marsColumns are the measurements of a population, in percent.
var marsColumns = func() []marsColumn {
	out := []marsColumn{{"success", func(e mars.Evaluation) *float64 { return &e.Success }}}
	for _, s := range marsScores {
		out = append(out, marsColumn{s.title, func(e mars.Evaluation) *float64 { v := e.Each[s.name]; return &v }})
	}
	return append(out, marsColumn{"unique", func(e mars.Evaluation) *float64 { return ofSuccesses(e, e.Unique) }}, marsColumn{"novelty", func(e mars.Evaluation) *float64 { return ofSuccesses(e, e.Novelty) }},
		marsColumn{"diversity", func(e mars.Evaluation) *float64 { return e.Diversity }}, marsColumn{"PM", func(e mars.Evaluation) *float64 { return &e.PM }})
}()

// ofSuccesses is a share of the successes, which is undefined if there are none.
func ofSuccesses(e mars.Evaluation, share float64) *float64 {
	if e.Success == 0 {
		return nil
	}
	return &share
}

type marsColumn struct {
	name string
	of   func(mars.Evaluation) *float64 // nil if it is undefined
}

// marsMoment is an evaluation of a run shown in the table.
type marsMoment struct {
	name string
	of   func(history []mars.Progress, set int) mars.Progress
}

var marsMoments = []marsMoment{
	{"largest PM", func(h []mars.Progress, set int) mars.Progress {
		best := h[0]
		for _, p := range h {
			if p.Sets[set].PM >= best.Sets[set].PM {
				best = p
			}
		}
		return best
	}},
	{"last", func(h []mars.Progress, _ int) mars.Progress { return h[len(h)-1] }},
}

// marsValue is the experiment for programs.
type marsValue struct {
	Preset       string             `json:"preset"`
	Toolkit      string             `json:"toolkit"`
	Oracles      []score.OracleInfo `json:"oracles"`
	Vocabularies []marsArms         `json:"vocabularies"`
	Runs         []marsRun          `json:"runs"`
	Notes        []string           `json:"notes"`
}

// marsArms describes a vocabulary.
type marsArms struct {
	Name      string  `json:"name"`
	Arms      int     `json:"arms"`
	Molecules int     `json:"molecules"`
	Cuts      int     `json:"cuts"`
	Distinct  int     `json:"distinct"`
	Atoms     float64 `json:"mean_atoms"`
	Bonds     float64 `json:"mean_bonds"`
	Dropped   int     `json:"dropped"`
}

func (t marsTable) document() (*report.Document, error) {
	list := listing(4, "fragments", "thresholds", "proposals", "step")
	for _, c := range marsColumns {
		list.Columns = append(list.Columns, report.ListingColumn{Name: c.name + ", %"})
	}
	v := marsValue{Preset: t.preset.name, Toolkit: t.toolkit.Version(), Oracles: []score.OracleInfo{t.kinases.gsk3b.OracleInfo, t.kinases.jnk3.OracleInfo}, Runs: t.runs}
	sheet := report.Sheet{Name: "table", Header: []string{"fragments", "thresholds", "proposals", "seed", "moment", "step", "mean_target"}}
	for _, c := range marsColumns {
		sheet.Header = append(sheet.Header, strings.ToLower(c.name))
	}
	for i, l := range t.lists {
		atoms, bonds := l.vocabulary.MeanSize()
		v.Vocabularies = append(v.Vocabularies, marsArms{l.name, l.editor.NumArms(), l.vocabulary.Molecules, l.vocabulary.Cuts, l.vocabulary.Distinct, atoms, bonds, len(l.dropped)})
		for set, th := range marsThresholds {
			for k, row := range t.rows {
				for _, m := range marsMoments {
					list.Rows = append(list.Rows, t.line(l.name, th.Name, row, m, set, t.of(i, k)))
					sheet.Rows = append(sheet.Rows, marsSheetRows(l.name, th.Name, row, m, set, t.of(i, k))...)
				}
				if paper := marsPaperLine(l.name, th.Name, row); paper != nil {
					list.Rows = append(list.Rows, paper)
				}
			}
		}
	}
	v.Notes = t.notes(v)
	parts := []report.Part{list}
	figures, err := t.figures()
	if err != nil {
		return nil, err
	}
	for _, f := range figures {
		parts = append(parts, f)
	}
	title := fmt.Sprintf("MARS: %d chains of %d steps, seeds %d to %d", t.base.Chains, t.base.Steps, t.seeds[0], t.seeds[len(t.seeds)-1])
	return &report.Document{Title: title, Parts: parts, Remarks: v.Notes, Sheets: []report.Sheet{sheet}, Value: v}, nil
}

// line returns a row of the table: means over the seeds, with their deviations.
func (t marsTable) line(list, thresholds string, row marsRow, m marsMoment, set int, runs []marsRun) []string {
	out := []string{list, thresholds, row.title, m.name}
	for _, c := range marsColumns {
		var values []float64
		for _, r := range runs {
			if v := c.of(m.of(r.History, set).Sets[set]); v != nil {
				values = append(values, 100**v)
			}
		}
		text := "n/a" // a run has too few successes
		if len(values) == len(runs) {
			text = meanText("%.2f", values)
		}
		out = append(out, text)
	}
	return out
}

// marsPaperLine returns the paper's row, or nil.
func marsPaperLine(list, thresholds string, row marsRow) []string {
	for _, p := range marsPaper {
		if p.vocabulary == list && p.thresholds == thresholds && p.row == row.name {
			out := []string{list, thresholds, row.title, "paper"}
			for k := range marsColumns {
				if k < len(p.scores) {
					out = append(out, fmt.Sprintf("%.2f ± %.2f", p.scores[k].Mean, p.scores[k].Std))
				} else {
					out = append(out, "–")
				}
			}
			return out
		}
	}
	return nil
}

// marsSheetRows has a row for each run.
func marsSheetRows(list, thresholds string, row marsRow, m marsMoment, set int, runs []marsRun) (rows [][]string) {
	for _, r := range runs {
		p := m.of(r.History, set)
		out := []string{list, thresholds, row.name, fmt.Sprint(r.Config.Seed), m.name, strconv.Itoa(p.Step), fmt.Sprint(p.Mean)}
		for _, c := range marsColumns {
			if v := c.of(p.Sets[set]); v != nil {
				out = append(out, fmt.Sprint(*v))
			} else {
				out = append(out, "")
			}
		}
		rows = append(rows, out)
	}
	return rows
}

// notes explain what the numbers depend on.
func (t marsTable) notes(v marsValue) (out []string) {
	out = append(remarks(t.preset.note), "Success is the share of the chains whose molecule reaches all thresholds (strict: QED and SA 0.67, GSK3β and JNK3 0.6;\noriginal: QED 0.6, SA 0.67, GSK3β and JNK3 0.5), the columns behind it the share that reaches one. Of each run the\nstep with the largest PM is shown, as in the paper, which is chosen by what it is measured by, and the last.")
	for _, o := range v.Oracles {
		out = append(out, fmt.Sprintf("%s: our random forest (%d trees, Morgan radius %d, %d bits), not the one of MARS: ROC-AUC %.3f and average precision %.3f\non a fixed fifth of %d molecules, %d of them active; then trained on all. Success depends on it.",
			o.Name, o.Trees, o.Radius, o.Bits, o.ROCAUC, o.AveragePrecision, o.Molecules, o.Active))
	}
	for _, a := range v.Vocabularies {
		text := fmt.Sprintf("Fragments of %s: the %d most frequent of %d in %d molecules, %.2f atoms and %.2f bonds on the mean", a.Name, a.Arms, a.Distinct, a.Molecules, a.Atoms, a.Bonds)
		if p, ok := marsPaperArms[a.Name]; ok {
			text += fmt.Sprintf(" (paper, of more molecules: %.2f and %.2f)", p[0], p[1])
		}
		out = append(out, text+".")
	}
	out = append(out, fmt.Sprintf("Novelty is against the %d active molecules of both lists. Diversity and PM count equal molecules of two chains as a pair.", len(t.kinases.actives)))
	for i, l := range t.lists {
		for k, row := range t.rows {
			calls, dead, stalled := 0, 0.0, 0
			var seconds mars.Seconds
			for _, r := range t.of(i, k) {
				n := float64(len(t.seeds))
				calls += r.Calls[0].Molecules / len(t.seeds)
				dead += r.DeadShare / n
				seconds.Propose += r.Seconds.Propose / n
				seconds.Score += r.Seconds.Score / n
				seconds.Evaluate += r.Seconds.Evaluate / n
				seconds.Learn += r.Seconds.Learn / n
				seconds.All += r.Seconds.All / n
				if r.Stalled {
					stalled++
				}
			}
			text := fmt.Sprintf("%s, %s: each score was asked for %d molecules a run; %.0f s: propose %.0f, score %.0f, evaluate %.0f, learn %.0f", row.title, l.name, calls, seconds.All, seconds.Propose, seconds.Score, seconds.Evaluate, seconds.Learn)
			if row.name != marsUniform {
				text += fmt.Sprintf("; second layer of the edges dead for %.0f %% of bonds", 100*dead)
			}
			if stalled > 0 {
				text += fmt.Sprintf("; %d of %d runs stopped early", stalled, len(t.seeds))
			}
			out = append(out, text+".")
		}
	}
	return out
}
