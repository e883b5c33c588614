//go:build !unix

package score

import (
	"context"
	"os/exec"
)

// shell returns a command line as a process.
func shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", line)
}
