// Package early catches the signals that end the program before main runs.
//
// The initialisation of the packages that the program imports takes milliseconds, in which a signal
// would kill the process instead of ending it with the exit code of an interrupt. Go initialises
// packages that are ready in the order of their paths, so this one, which imports the standard
// library alone, comes before the large ones.
package early

import (
	"os"
	"os/signal"
	"syscall"
)

// Caught has the signals that end the program and that the process received since it was started.
var Caught = catch(ends())

// ends are the signals that end the program: SIGINT, SIGTERM and, unless the process was started to
// ignore it as under nohup, SIGHUP.
func ends() []os.Signal {
	out := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		out = append(out, syscall.SIGHUP)
	}
	return out
}

func catch(ends []os.Signal) <-chan os.Signal {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, ends...)
	return caught
}
