// Command ehgnn learns representations of the edges of graphs; see package cli for its commands.
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

// echo is the time after an interrupt in which a second one counts as the same.
const echo = 200 * time.Millisecond

func main() {
	// Most of the heap is large arrays without pointers, which the collector does not scan. So
	// frequent collections cost little and keep the peak near the used memory instead of twice as
	// high.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(30)
	}
	// If the reader of the output ends, for example a tee that got the same interrupt, writing must
	// fail, and not end the program before it saves its state.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(context.Background())
	select {
	case <-early.Caught: // before main
		cancel()
	default:
	}
	// A second interrupt ends the program at once, except for an echo of the first: timeout signals a
	// process and then its group, and if a terminal closes, both the system and the shell send a
	// signal.
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
