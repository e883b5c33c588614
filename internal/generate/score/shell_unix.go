//go:build unix

package score

import (
	"context"
	"os/exec"
	"syscall"
)

// shell returns a command line as a process with its own process group, so that the whole group can
// be killed. An interrupt from the terminal does not reach it before the program has saved its
// state.
func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
