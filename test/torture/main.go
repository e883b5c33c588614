//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := torture(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		code = 2
	}
	os.Exit(code)
}

// torture runs a campaign as the arguments say. The code is 1 if there are findings.
func torture(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	f := flag.NewFlagSet("torture", flag.ContinueOnError)
	f.SetOutput(stderr)
	seed := f.Uint64("seed", uint64(time.Now().UnixNano()), "seed of everything drawn (default: the time)")
	duration := f.Duration("duration", 5*time.Minute, "time to spend; 0 for the few trials that the tests do")
	share := f.Float64("fuzz", 0.5, "share of the time that goes to fuzz targets")
	only := f.String("only", "", "beginnings of the names of scenarios, by commas, as kill,fuzz/data (default all)")
	trial := f.Int("trial", -1, "the only trial of the scenarios (default: as many as there is time for)")
	keep := f.Bool("keep", false, "keep the folders of trials")
	dir := f.String("dir", "", "folder in which a folder to work in is made, and removed at the end unless -keep (default: that for temporary files)")
	workers := f.Int("workers", runtime.NumCPU(), "trials at a time")
	out := f.String("json", "", "file for the report as JSON")
	doc := f.String("doc", "", "document in which the tables of the last campaign are replaced, as docs/reliability.md")
	if err := f.Parse(args); err != nil {
		return 2, nil // it has been printed
	}
	if f.NArg() > 0 || *share < 0 || *share > 1 || *workers < 1 {
		return 2, fmt.Errorf("unexpected arguments %q, or -fuzz or -workers out of range", f.Args())
	}
	debug.SetGCPercent(30) // what this process holds is the least that its children are charged
	work, err := os.MkdirTemp(*dir, "torture-")
	if err != nil {
		return 2, err
	}
	if !*keep {
		defer os.RemoveAll(work)
	}
	if err := os.Chmod(work, 0o755); err != nil { // for the user without rights
		return 2, err
	}
	fmt.Fprintf(stderr, "torture: seed %d, in %s\n", *seed, work)
	begun := time.Now()
	l, err := newLab(ctx, work)
	if err != nil {
		return 2, err
	}
	fuzzed := time.Duration(*share * float64(*duration))
	if !fuzzes(*only) || *trial >= 0 {
		fuzzed = 0
	}
	p := plan{seed: *seed, duration: *duration - fuzzed, only: *only, trial: *trial, keep: *keep, workers: *workers,
		progress: func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }}
	c, err := newCampaign(l, p)
	if err != nil {
		return 2, err
	}
	if len(c.chosen) > 0 {
		if err := c.run(ctx); err != nil {
			return 2, err
		}
	}
	r := c.report(begun)
	if fuzzed > 0 && ctx.Err() == nil {
		if err := r.fuzz(ctx, l, p, fuzzed); err != nil {
			return 2, err
		}
	}
	r.Seconds = time.Since(begun).Seconds()
	if err := r.markdown(stdout); err != nil {
		return 2, err
	}
	for _, f := range r.Findings {
		fmt.Fprintf(stdout, "\nFINDING %s, trial %d: %s\n  %s\n  again: %s\n", f.Scenario, f.Trial, f.What, f.Command, f.Again)
		code = 1
	}
	if *out != "" {
		err = r.writeTo(*out)
	}
	if *doc != "" {
		err = errors.Join(err, r.replaceIn(*doc))
	}
	return code, err
}
