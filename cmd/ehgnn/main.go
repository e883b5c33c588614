// Command ehgnn learns representations of the edges of graphs; see package cli
// for its verbs.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/early"
)

// echo is how long after an interrupt another one is taken for the same.
const echo = 200 * time.Millisecond

func main() {
	// Most of the heap is large arrays without pointers, which the collector does not scan.
	// Frequent collections therefore cost little, and they keep the peak near what is in
	// use instead of twice that.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(30)
	}
	// A reader that goes, such as a tee that the same interrupt has ended, is an error of
	// writing and not the end of a program that has a state to save.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(context.Background())
	select {
	case <-early.Caught: // before main
		cancel()
	default:
	}
	// A second interrupt ends the program at once, but not the echo of the first: timeout
	// signals a process and then its group, and of a terminal that closes both the system
	// and the shell tell.
	go func() {
		if ctx.Err() == nil {
			<-early.Caught
			cancel()
		}
		time.Sleep(echo)
		signal.Ignore(syscall.SIGHUP)
		signal.Reset(os.Interrupt, syscall.SIGTERM)
	}()
	os.Exit(cli.Main(ctx, cli.State{
		Args:     os.Args[1:],
		Stdin:    os.Stdin,
		Stdout:   os.Stdout,
		Stderr:   os.Stderr,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}))
}
