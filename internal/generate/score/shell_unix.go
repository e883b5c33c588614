//go:build unix

package score

import (
	"context"
	"os/exec"
	"syscall"
)

// shell is a command line as a process group of its own, so that all of it can be killed and an
// interrupt from the terminal does not reach it before the program has saved its state.
func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
