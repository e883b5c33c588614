// Command ehgnn learns representations of the edges of graphs; see package cli
// for its verbs.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

func main() {
	// Most of the heap is large arrays without pointers, which the collector does not scan.
	// Frequent collections therefore cost little, and they keep the peak near what is in
	// use instead of twice that.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(30)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, cli.State{
		Args:     os.Args[1:],
		Stdin:    os.Stdin,
		Stdout:   os.Stdout,
		Stderr:   os.Stderr,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}))
}
