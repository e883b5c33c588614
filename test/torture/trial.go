//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A trial is one attack. Its methods record what was wrong.
type trial struct {
	*rand.Rand
	lab      *lab
	scenario *scenario
	index    int
	dir      string // its own, where processes run

	tally    tally
	findings []finding
}

// tally counts what happened.
type tally struct {
	Trials    int           `json:"trials"`
	Processes int           `json:"processes"`
	Signals   int           `json:"signals"`   // sent to processes that were at work
	Refusals  int           `json:"refusals"`  // exit codes 1 and 2
	Successes int           `json:"successes"` // exit code 0
	Findings  int           `json:"findings"`
	PeakRSS   int64         `json:"peak_rss"` // bytes, of any process
	Slowest   time.Duration `json:"slowest_ns"`
	Busy      time.Duration `json:"busy_ns"` // of the worker
}

func (a *tally) add(b tally) {
	a.Trials += b.Trials
	a.Processes += b.Processes
	a.Signals += b.Signals
	a.Refusals += b.Refusals
	a.Successes += b.Successes
	a.Findings += b.Findings
	a.PeakRSS = max(a.PeakRSS, b.PeakRSS)
	a.Slowest = max(a.Slowest, b.Slowest)
	a.Busy += b.Busy
}

// A finding is something that the program must not do.
type finding struct {
	Scenario string `json:"scenario"`
	Trial    int    `json:"trial"`
	What     string `json:"what"`
	Command  string `json:"command,omitempty"` // the last one, in the folder of the trial
	Message  string `json:"message,omitempty"` // the beginning of its standard error
	Again    string `json:"again"`             // does the trial again
}

// count adds a process that has ended.
func (t *trial) count(p *process) {
	t.tally.Processes++
	switch {
	case p.code == exitOK:
		t.tally.Successes++
	case p.refused():
		t.tally.Refusals++
	}
	t.tally.PeakRSS, t.tally.Slowest = max(t.tally.PeakRSS, p.rss), max(t.tally.Slowest, p.took)
}

// finding records what a process did wrong.
func (p *process) finding(format string, args ...any) {
	message := p.err.String()
	if len(message) > 1000 {
		message = message[:1000] + "..."
	}
	p.t.findings = append(p.t.findings, finding{What: fmt.Sprintf(format, args...), Command: p.command(), Message: message})
}

// finding records what is wrong with what processes left.
func (t *trial) finding(format string, args ...any) {
	t.findings = append(t.findings, finding{What: fmt.Sprintf(format, args...)})
}

// broken is what fatal panics with.
type broken struct{ error }

// fatal ends the trial, and with it the campaign: it could not be done.
func (t *trial) fatal(format string, args ...any) {
	panic(broken{fmt.Errorf("%s trial %d: %s", t.scenario.name, t.index, fmt.Sprintf(format, args...))})
}

// must ends the campaign where the trial itself could not be prepared.
func (t *trial) must(err error) {
	if err != nil {
		t.fatal("%v", err)
	}
}

// path is a path in the folder of the trial.
func (t *trial) path(elem ...string) string {
	return filepath.Join(append([]string{t.dir}, elem...)...)
}

// write writes a file of the trial, with its folders.
func (t *trial) write(name string, text []byte) {
	t.must(os.MkdirAll(filepath.Dir(t.path(name)), 0o755))
	t.must(os.WriteFile(t.path(name), text, 0o644))
}

// read reads a file of the trial; nil if it is not there.
func (t *trial) read(elem ...string) []byte {
	text, err := readRegular(t.path(elem...))
	if err != nil && !os.IsNotExist(err) {
		t.finding("%v", err)
	}
	return text
}

// readRegular reads a file, and nothing of a device or a folder.
func readRegular(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return os.ReadFile(path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// leftovers reports temporary files that nobody will finish, below a folder of the trial.
func (t *trial) leftovers(elem ...string) {
	for _, name := range temporaries(t.path(elem...)) {
		t.finding("%s is left", name)
	}
}

// temporaries lists the hidden temporary files and locks in a folder.
func temporaries(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), ".tmp-") || e.Name() == ".lock" {
			names = append(names, filepath.Join(filepath.Base(dir), e.Name()))
		}
	}
	return names
}

// pick draws one of a list.
func pick[T any](t *trial, list ...T) T { return list[t.IntN(len(list))] }
