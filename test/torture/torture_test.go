//go:build linux

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTorture is the part of a campaign that every change has to stand: the first trials of
// each scenario, of one seed.
func TestTorture(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	var out, progress bytes.Buffer
	code, err := torture(t.Context(), []string{"-seed", "1", "-duration", "0"}, &out, &progress)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("\n%s", &out); code != 0 {
		t.Errorf("findings:\n%s", &progress)
	}
}

// stub is a trial of a program that is a shell script.
func stub(t *testing.T, script string) *trial {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "stub")
	if err := os.WriteFile(binary, []byte("#!/bin/bash\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	return &trial{Rand: rand.New(rand.NewPCG(1, 2)), lab: &lab{dir: dir, binary: binary}, scenario: &scenarios[0], dir: work}
}

// Each bound of a process is seen to be broken.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name, script string
		call         call
		want         string // in the finding; empty for none
	}{
		{"success", "exit 0", call{}, ""},
		{"refusal", "echo no such file >&2; exit 2", call{codes: []int{exitUsage}}, ""},
		{"another code", "echo no such file >&2; exit 1", call{codes: []int{exitUsage}}, "exit code 1, expected one of [2]"},
		{"success instead", "exit 0", call{codes: []int{exitUsage}}, "exit code 0"},
		{"a defect", "echo bug >&2; exit 3", call{codes: []int{exitOK, exitFailed, exitUsage}}, "exit code 3"},
		{"no message", "exit 2", call{codes: []int{exitUsage}}, "without a message"},
		{"a stack", "echo 'goroutine 1 [running]:' >&2; exit 2", call{codes: []int{exitUsage}}, "Go stack"},
		{"a stack for want of memory", "echo 'fatal error: out of memory' >&2; exit 2", call{starved: true}, ""},
		{"a crash", "kill -SEGV $$", call{}, "ended by signal 11"},
		{"an escape", `printf '\e[2J' >&2; exit 2`, call{codes: []int{exitUsage}}, "U+001B"},
		{"no UTF-8", `printf 'a\xffbbbb' >&2; exit 2`, call{codes: []int{exitUsage}}, "0xff"},
		{"an escape in a listing", `printf '\e[2J'`, call{args: []string{"data", "info"}}, "standard output holds"},
		{"a long message", "head -c 20000 /dev/zero | tr '\\0' x >&2; exit 2", call{codes: []int{exitUsage}}, "a message of 20000 bytes"},
		{"progress", "head -c 20000 /dev/zero | tr '\\0' x >&2", call{talks: true}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := stub(t, test.script)
			s.run(test.call)
			switch {
			case test.want == "" && len(s.findings) > 0:
				t.Errorf("findings %+v, want none", s.findings)
			case test.want != "" && (len(s.findings) == 0 || !strings.Contains(s.findings[0].What, test.want)):
				t.Errorf("findings %+v, want one of %q", s.findings, test.want)
			}
			if s.tally.Processes != 1 {
				t.Errorf("%d processes counted", s.tally.Processes)
			}
		})
	}
}

// What a killed process leaves is looked at.
func TestWhole(t *testing.T) {
	for name, text := range map[string]string{"model.safetensors": "\x10", "state.json": `{"a":`, "config.yaml": "a: [", "metrics.jsonl": "{}\n{\n{}\n"} {
		s := stub(t, "")
		s.write("run/"+name, []byte(text))
		if s.whole("run"); len(s.findings) != 1 || !strings.Contains(s.findings[0].What, name) {
			t.Errorf("%s: findings %+v", name, s.findings)
		}
	}
	s := stub(t, "")
	s.write("run/metrics.jsonl", []byte("{}\n{}\n{\"torn"))
	s.write("run/.config.yaml.tmp-1", []byte("a: ["))
	if s.whole("run"); len(s.findings) > 0 {
		t.Errorf("findings %+v, want none: a torn last line and what is hidden are allowed", s.findings)
	}
	if s.leftovers("run"); len(s.findings) != 1 {
		t.Errorf("findings %+v, want the temporary file", s.findings)
	}
}

// A process that is killed is not held to a code, one that is asked to end is.
func TestKilled(t *testing.T) {
	s := stub(t, "while :; do :; done") // at work, unlike one that is still starting
	for len(s.findings) == 0 && s.tally.Signals < 40 {
		s.killed(call{}, 200*time.Millisecond)
	}
	if len(s.findings) == 0 {
		t.Errorf("%d signals, but no process was found to die of SIGINT or SIGTERM instead of ending with %d", s.tally.Signals, exitInterrupted)
	}
	s = stub(t, "trap 'echo interrupted >&2; exit 130' INT TERM; sleep 5 >/dev/null 2>&1 & wait")
	for range 12 {
		if s.killed(call{}, 60*time.Millisecond) {
			t.Error("ended by itself")
		}
	}
	for _, f := range s.findings {
		if !strings.Contains(f.What, "signal") || !strings.Contains(f.What, "exit code -1") { // bash was not yet listening
			t.Errorf("finding %+v", f)
		}
	}
}

// A trial draws the same whatever ran before it.
func TestSeeds(t *testing.T) {
	a, b := stub(t, ""), stub(t, "")
	for range 100 {
		if x, y := a.spoiled([]byte("1,2\n3,4\n")), b.spoiled([]byte("1,2\n3,4\n")); !bytes.Equal(x, y) {
			t.Fatalf("%q and %q of one seed", x, y)
		}
	}
}

// Tables are replaced between their marks, and nothing else.
func TestReplaceIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(path, []byte("before\n"+beginMark+"old\n"+endMark+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := &report{Version: "v", Scenarios: []scenarioLine{{Name: "kill/x", tally: tally{Trials: 17}}}, Fuzz: []fuzzLine{{Name: "data FuzzTU", Plain: spell{Executions: 5}}}}
	for range 2 {
		if err := r.replaceIn(path); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"before\n" + beginMark, "| kill/x", "| 17", "| data FuzzTU", endMark + "after\n"} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "old") {
		t.Errorf("the old table is still there:\n%s", text)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.replaceIn(path); err == nil {
		t.Error("a document without marks was accepted")
	}
}

func TestScenarios(t *testing.T) {
	var names []string
	for _, s := range scenarios {
		if s.about == "" || s.share <= 0 || s.quick <= 0 || s.trial == nil || slices.Contains(names, s.name) {
			t.Errorf("scenario %q lacks something or is there twice", s.name)
		}
		names = append(names, s.name)
	}
	if _, err := newCampaign(&lab{}, plan{only: "nothing"}); err == nil {
		t.Error("a name that no scenario has was accepted")
	}
}

// The fuzz targets are found, readers before kernels, and have all of the time.
func TestFuzzTargets(t *testing.T) {
	lines, err := fuzzTargets(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range lines {
		names = append(names, f.Name)
	}
	for _, want := range []string{"data FuzzTU", "data/tables FuzzParquet", "internal/session FuzzWeights", "internal/kernel FuzzGemm"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s among %q", want, names)
		}
	}
	if first, last := lines[0], lines[len(lines)-1]; first.kernel() || !last.kernel() {
		t.Errorf("%s comes first and %s last", first.Name, last.Name)
	}
	sum := 0.0
	for _, share := range weights(lines, func(*fuzzLine) float64 { return 3 }) {
		sum += share
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("shares add to %v", sum)
	}
}
