// Command ehgnn-scale trains models on graphs of labelled edges that do not fit into memory, and
// embeds and scores their edges, from files on one machine or on an engine of Apache Beam. It
// shares run folders with ehgnn.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"

	"github.com/ehgnn/ehgnn/scale/pipeline"
)

func main() {
	pipeline.Worker()
	// Most of the heap is large arrays without pointers: frequent collections cost little and keep
	// the peak close to the memory in use.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(30)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(run(ctx, &app{args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr, terminal: term.IsTerminal(int(os.Stderr.Fd()))}))
}
