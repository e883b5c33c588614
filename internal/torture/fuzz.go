//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
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
	Seconds    float64 `json:"seconds"`
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
		if e.IsDir() && path != root && strings.HasPrefix(e.Name(), ".") {
			return fs.SkipDir
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
	guidedShare = 0.5
	kernelShare = 0.15 // of both, all kernels together
)

// fuzz runs the fuzz targets for a time and adds them to the report.
func (r *report) fuzz(ctx context.Context, l *lab, p plan, total time.Duration) error {
	lines, err := fuzzTargets(l.root)
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(f *fuzzLine) bool {
		return p.only != "" && !matches(fuzzName+"/"+f.Name, p.only) && !slices.Contains(strings.Split(p.only, ","), fuzzName)
	})
	kernels := 0
	for _, f := range lines {
		if f.kernel() {
			kernels++
		}
	}
	end := time.Now().Add(total)
	for _, guided := range []bool{true, false} {
		binaries := map[string]string{}
		for i, f := range lines {
			// What compiling takes is shared by those that are still to come.
			left := time.Until(end)
			if guided {
				left -= time.Duration((1 - guidedShare) * float64(total))
			}
			weight, rest := 0.0, 0.0
			for j, o := range lines[i:] {
				w := (1 - kernelShare) / float64(max(1, len(lines)-kernels))
				if o.kernel() {
					w = kernelShare / float64(kernels)
				}
				if rest += w; j == 0 {
					weight = w
				}
			}
			spent := time.Duration(float64(left) * weight / rest).Round(time.Millisecond)
			if ctx.Err() != nil || spent < 500*time.Millisecond {
				continue
			}
			binary := binaries[f.pkg]
			if binary == "" {
				if binary, err = l.testBinary(ctx, f.pkg, guided); err != nil {
					return err
				}
				binaries[f.pkg] = binary
			}
			what, err := f.run(ctx, l, binary, guided, spent, p.workers)
			if err != nil {
				return err
			}
			if what != "" {
				f.Findings++
				r.Findings = append(r.Findings, finding{Scenario: fuzzName, What: f.Name + " fails", Message: what,
					Command: fmt.Sprintf("go test ./%s -run '^%s$'", f.pkg, f.target), Again: fmt.Sprintf("go test ./%s -run '^$' -fuzz '^%s$' -fuzztime %s", f.pkg, f.target, spent)})
				p.progress("%s fails:\n%s", f.Name, what)
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

// run runs a target for a time. what is the failure that it found, if any; the failing input
// is in testdata/fuzz of the package then.
func (f *fuzzLine) run(ctx context.Context, l *lab, binary string, guided bool, spent time.Duration, workers int) (what string, err error) {
	// The corpus is kept where go test keeps its own.
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	corpus := filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "github.com", "ehgnn", "ehgnn", f.pkg)
	cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+f.target+"$", "-test.fuzztime="+spent.String(), "-test.fuzzminimizetime=100x",
		"-test.parallel="+strconv.Itoa(workers), "-test.fuzzcachedir="+corpus)
	cmd.Dir = filepath.Join(l.root, f.pkg)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the workers are children
	cmd.WaitDelay = 10 * time.Second
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	cmd.Stderr = cmd.Stdout
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var text strings.Builder
	s := &f.Plain
	if guided {
		s = &f.Guided
	}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		line := lines.Text()
		if !strings.HasPrefix(line, "fuzz: elapsed") {
			text.WriteString(line + "\n")
			continue
		}
		for _, m := range fuzzProgress.FindAllStringSubmatch(line, -1) {
			if m[1] != "" {
				s.Executions, _ = strconv.ParseInt(m[1], 10, 64)
			} else {
				f.Corpus, _ = strconv.Atoi(m[2])
			}
		}
	}
	failed := cmd.Wait()
	s.Seconds = time.Since(begun).Seconds()
	if what = text.String(); failed != nil && ctx.Err() == nil && !lateOnly(what) {
		return what[max(0, len(what)-3000):], nil
	}
	return "", nil
}

// lateOnly reports whether a target failed only because its time was over while a worker was
// busy, which go test takes for a failure at times.
func lateOnly(text string) bool {
	return strings.Contains(text, "context deadline exceeded") && !strings.Contains(text, "Failing input") && !strings.Contains(text, "panic")
}
