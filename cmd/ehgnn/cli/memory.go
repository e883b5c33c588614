package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// maxMemory adds --max-memory to a verb that reads data.
func maxMemory(cmd *cobra.Command, size *memory.Size) {
	cmd.Flags().Var(size, "max-memory", "memory that reading the data may use, and that the model may use for a batch, such as 4GiB (default: for data 2GiB plus 32 times the size of the files, at most half of the free memory; for the model the free memory)")
}

// memoryLimit parses --memory-limit. Empty means three quarters of the free memory, or no limit if
// the system does not report it.
func memoryLimit(text string) (int64, error) {
	if text == "" {
		return memory.Free() / 4 * 3, nil
	}
	n, err := memory.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("--memory-limit is %q, expected a size such as 4GiB, 500MB or 0", text)
	}
	return n, nil
}
