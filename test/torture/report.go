//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// A report is what came of a campaign.
type report struct {
	Seed      uint64         `json:"seed"`
	Version   string         `json:"version"` // as the program prints it
	Begun     time.Time      `json:"begun"`
	Seconds   float64        `json:"seconds"`
	CPUs      int            `json:"cpus"`
	Scenarios []scenarioLine `json:"scenarios"`
	Total     tally          `json:"total"`
	Fuzz      []fuzzLine     `json:"fuzz,omitempty"`
	// Executions of fuzz targets, with coverage and, as Plain, without.
	Executions int64     `json:"executions"`
	Plain      int64     `json:"plain_executions"`
	Findings   []finding `json:"findings"`
}

// scenarioLine is what came of a scenario.
type scenarioLine struct {
	Name  string `json:"name"`
	About string `json:"about"`
	tally
}

// markdown writes the tables of a report.
func (r *report) markdown(w io.Writer) error {
	t := &table{w: tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)}
	if len(r.Scenarios) > 0 {
		t.row("scenario", "trials", "processes", "signals", "refused", "succeeded", "findings", "peak MB", "slowest s")
		t.rule(9)
		for _, s := range append(r.Scenarios, scenarioLine{Name: "all", tally: r.Total}) {
			t.row(s.Name, s.Trials, s.Processes, s.Signals, s.Refusals, s.Successes, s.Findings, s.PeakRSS/1e6, fmt.Sprintf("%.1f", s.Slowest.Seconds()))
		}
	}
	if len(r.Fuzz) > 0 {
		t.text("")
		t.row("fuzz target", "executions", "per CPU s", "without coverage", "per CPU s", "corpus", "findings")
		t.rule(7)
		for _, f := range r.Fuzz {
			if f.Guided.Executions+f.Plain.Executions == 0 {
				continue // there was no time for it
			}
			t.row(f.Name, f.Guided.Executions, f.Guided.rate(), f.Plain.Executions, f.Plain.rate(), f.Corpus, f.Findings)
		}
		t.row("all", r.Executions, "", r.Plain, "", "", "")
	}
	return t.w.Flush()
}

// table writes rows of Markdown.
type table struct{ w *tabwriter.Writer }

func (t *table) row(cells ...any) {
	for _, c := range cells {
		fmt.Fprintf(t.w, "| %v\t", c)
	}
	fmt.Fprintln(t.w, "|")
}

func (t *table) rule(n int) { fmt.Fprintln(t.w, strings.Repeat("| ---\t", n)+"|") }

func (t *table) text(line string) { fmt.Fprintln(t.w, line) }

// writeTo writes the report as JSON.
func (r *report) writeTo(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Marks in a document between which the report of a campaign stands.
const (
	beginMark = "<!-- campaign: written by test/torture -->\n"
	endMark   = "<!-- campaign: end -->\n"
)

// replaceIn puts the tables into a document, in the place of those of an earlier campaign.
func (r *report) replaceIn(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(old), beginMark)
	_, after, ends := strings.Cut(rest, endMark)
	if !begins || !ends {
		return fmt.Errorf("%s has no lines %q and %q", path, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		fmt.Fprintf(w, "%s%s\n%s, seed %d, begun %s, %.0f minutes on %d processors: %d findings.\n\n", before, beginMark,
			r.Version, r.Seed, r.Begun.Format("2006-01-02"), r.Seconds/60, r.CPUs, len(r.Findings))
		if err := r.markdown(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s%s", endMark, after)
		return err
	})
}

// report sums a campaign up.
func (c *campaign) report(begun time.Time) *report {
	r := &report{Seed: c.seed, Version: c.lab.version, Begun: begun.UTC().Truncate(time.Second), Seconds: time.Since(begun).Seconds(),
		CPUs: c.workers, Findings: c.findings}
	for _, w := range c.chosen {
		r.Scenarios = append(r.Scenarios, scenarioLine{w.name, w.about, w.tally})
		r.Total.add(w.tally)
	}
	return r
}
