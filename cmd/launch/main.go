//go:build unix

// Command launch is the program ehgnn of the chemistry archive. The chemistry build needs
// shared libraries, and those need the C library that they were built with, which may be
// newer than that of the machine. So the archive has all of them, with their loader, and
// this static program starts the loader: nothing of the machine is used.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

func main() {
	self, err := os.Executable()
	if err != nil { // without /proc
		self, err = exec.LookPath(os.Args[0])
	}
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err == nil {
		lib := filepath.Join(filepath.Dir(self), "lib")
		loader := filepath.Join(lib, "ld.so")
		args := []string{loader, "--inhibit-cache", "--library-path", lib, "--argv0", os.Args[0], filepath.Join(lib, "ehgnn")}
		if err = syscall.Exec(loader, append(args, os.Args[1:]...), os.Environ()); err != nil {
			err = fmt.Errorf("%s: %w", loader, err)
		}
	}
	fmt.Fprintln(os.Stderr, "ehgnn:", err)
	os.Exit(1)
}
