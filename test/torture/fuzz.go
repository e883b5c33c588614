//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fuzzName is the name of the fuzz targets among the scenarios.
const fuzzName = "fuzz"

// A fuzzLine is what came of a fuzz target.
type fuzzLine struct {
	Name     string `json:"name"`   // "internal/kernel FuzzGemm"
	Guided   spell  `json:"guided"` // by coverage
	Plain    spell  `json:"plain"`  // without the instrumentation, which takes half of the speed or more
	Corpus   int    `json:"corpus"` // inputs that reach something of their own
	Findings int    `json:"findings"`

	pkg, target string
}

// A spell is time spent on a target.
type spell struct {
	Executions int64   `json:"executions"`
	Seconds    float64 `json:"cpu_seconds"` // of processors, which unlike the clock do not depend on what runs beside
}

func (s spell) rate() int64 {
	if s.Seconds == 0 {
		return 0
	}
	return int64(float64(s.Executions) / s.Seconds)
}

var fuzzFunc = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// fuzzTargets finds the fuzz targets of the module: those of readers first, then those of
// kernels.
func fuzzTargets(root string) ([]*fuzzLine, error) {
	var list []*fuzzLine
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil || strings.HasPrefix(e.Name(), ".") { // a module of its own has gates of its own
				return fs.SkipDir
			}
		}
		if e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel(root, filepath.Dir(path))
		for _, m := range fuzzFunc.FindAllSubmatch(text, -1) {
			list = append(list, &fuzzLine{Name: filepath.ToSlash(pkg) + " " + string(m[1]), pkg: pkg, target: string(m[1])})
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b *fuzzLine) int {
		if ka, kb := a.kernel(), b.kernel(); ka != kb {
			if ka {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list, err
}

// kernel reports whether the target compares kernels with their plain form. The others read
// what strangers wrote.
func (f *fuzzLine) kernel() bool {
	return f.pkg == filepath.Join("internal", "kernel") || f.pkg == "tensor"
}

// Shares of the time for fuzzing. A target that is guided by coverage finds new paths;
// without, it does several times as many executions around those that were found.
const (
	guidedShare = 0.25
	equalShare  = 0.15 // of the time without guidance is the same for all, and measures them
	kernelShare = 0.15 // of each part, all kernels together
	leastSpell  = 500 * time.Millisecond
)

// fuzz runs the fuzz targets for a time and adds them to the report.
func (r *report) fuzz(ctx context.Context, l *lab, p plan, total time.Duration) error {
	lines, err := fuzzTargets(l.root)
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(f *fuzzLine) bool { return !matches(fuzzName+"/"+f.Name, p.only) })
	z := fuzzing{lab: l, plan: p, report: r, binaries: map[string]string{}}
	if err := z.build(ctx, lines); err != nil {
		return err
	}
	equal := func(*fuzzLine) float64 { return 1 }
	// Fast targets get more time, yet slow ones are not starved.
	byRate := func(f *fuzzLine) float64 { return math.Sqrt(float64(1 + f.Plain.rate())) }
	for _, part := range []struct {
		guided bool
		share  float64
		weight func(*fuzzLine) float64
	}{{true, guidedShare, equal}, {false, (1 - guidedShare) * equalShare, equal}, {false, (1 - guidedShare) * (1 - equalShare), byRate}} {
		spent := time.Duration(part.share * float64(total))
		for f, weight := range weights(lines, part.weight) {
			if err := z.run(ctx, f, part.guided, time.Duration(weight*float64(spent)).Round(time.Millisecond)); err != nil {
				return err
			}
		}
	}
	for _, f := range lines {
		r.Fuzz = append(r.Fuzz, *f)
		r.Executions += f.Guided.Executions
		r.Plain += f.Plain.Executions
	}
	return nil
}

// weights yields the share of the time that each target has, as measured before the first.
func weights(lines []*fuzzLine, of func(*fuzzLine) float64) iter.Seq2[*fuzzLine, float64] {
	sum, list := map[bool]float64{}, make([]float64, len(lines))
	for i, f := range lines {
		list[i] = of(f)
		sum[f.kernel()] += list[i]
	}
	return func(yield func(*fuzzLine, float64) bool) {
		for i, f := range lines {
			share := 1.0
			if sum[!f.kernel()] > 0 { // there are both
				share = 1 - kernelShare
				if f.kernel() {
					share = kernelShare
				}
			}
			if !yield(f, share*list[i]/sum[f.kernel()]) {
				return
			}
		}
	}
}

// fuzzing is the part of a campaign that runs fuzz targets.
type fuzzing struct {
	lab      *lab
	plan     plan
	report   *report
	binaries map[string]string
	corpus   string // where go test keeps its own
}

// build builds the tests of the packages, with the instrumentation for coverage and without.
func (z *fuzzing) build(ctx context.Context, lines []*fuzzLine) error {
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	z.corpus = filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "github.com", "ehgnn", "ehgnn")
	for _, f := range lines {
		for _, guided := range []bool{true, false} {
			if key := f.binary(guided); z.binaries[key] == "" {
				if z.binaries[key], err = z.lab.testBinary(ctx, f.pkg, guided); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// binary is the name of the tests of the target's package.
func (f *fuzzLine) binary(guided bool) string { return fmt.Sprint(f.pkg, guided) }

// testBinary builds the tests of a package, with the instrumentation for coverage or without.
func (l *lab) testBinary(ctx context.Context, pkg string, guided bool) (string, error) {
	out := filepath.Join(l.dir, "fuzz", fmt.Sprintf("%s-%t.test", strings.ReplaceAll(pkg, "/", "-"), guided))
	args := []string{"test", "-c", "-o", out}
	if guided {
		args = append(args, "-fuzz=.")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = l.root
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, text)
	}
	return out, nil
}

var fuzzProgress = regexp.MustCompile(`execs: (\d+)|total: (\d+)`)

// run runs a target for a time and notes what it finds; the input that fails is in
// testdata/fuzz of the package then.
func (z *fuzzing) run(ctx context.Context, f *fuzzLine, guided bool, spent time.Duration) error {
	if ctx.Err() != nil || spent < leastSpell || f.Findings > 0 {
		return nil
	}
	cmd := exec.CommandContext(ctx, z.binaries[f.binary(guided)], "-test.run=^$", "-test.fuzz=^"+f.target+"$", "-test.fuzztime="+spent.String(), "-test.fuzzminimizetime=100x",
		"-test.parallel="+strconv.Itoa(z.plan.workers), "-test.fuzzcachedir="+filepath.Join(z.corpus, f.pkg))
	cmd.Dir = filepath.Join(z.lab.root, f.pkg)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its workers
	cmd.WaitDelay = 10 * time.Second
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	var executions int64
	var rest strings.Builder
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, "fuzz: elapsed") {
			rest.WriteString(line + "\n")
			continue
		}
		for _, m := range fuzzProgress.FindAllStringSubmatch(line, -1) {
			if m[1] != "" {
				executions, _ = strconv.ParseInt(m[1], 10, 64) // digits
			} else {
				f.Corpus, _ = strconv.Atoi(m[2]) // digits
			}
		}
	}
	failed := cmd.Wait()
	s := &f.Plain
	if guided {
		s = &f.Guided
	}
	s.Executions += executions
	s.Seconds += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if text := rest.String(); failed != nil && ctx.Err() == nil && !lateOnly(text) {
		f.Findings++
		z.report.Findings = append(z.report.Findings, finding{Scenario: fuzzName, What: f.Name + " fails", Message: text[max(0, len(text)-3000):],
			Command: fmt.Sprintf("go test ./%s -run '^%s$'", f.pkg, f.target), Again: fmt.Sprintf("go test ./%s -run '^$' -fuzz '^%s$' -fuzztime %s", f.pkg, f.target, spent)})
		z.plan.progress("%s fails:\n%s", f.Name, text)
	}
	return nil
}

// lateOnly reports whether a target failed only because its time was over while a worker was
// busy, which go test takes for a failure at times.
func lateOnly(text string) bool {
	return strings.Contains(text, "context deadline exceeded") && !strings.Contains(text, "Failing input") && !strings.Contains(text, "panic")
}
