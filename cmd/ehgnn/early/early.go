// Package early catches the signals that end the program before main runs.
//
// Initialising the imported packages takes milliseconds. A signal in this time would kill the
// process instead of ending it with the exit code of an interrupt. Go initialises ready packages in
// the order of their paths, so this package, which imports only the standard library, comes before
// the large ones.
package early

import (
	"os"
	"os/signal"
	"syscall"
)

// Caught has the signals to end the program that the process has received since its start.
var Caught = catch(ends())

// ends are the signals that end the program: SIGINT, SIGTERM and SIGHUP. SIGHUP is left out if the
// process was started to ignore it, as under nohup.
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
