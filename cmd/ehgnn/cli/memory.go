package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// maxMemory adds --max-memory to a verb that reads data.
func maxMemory(cmd *cobra.Command, size *memory.Size) {
	cmd.Flags().Var(size, "max-memory", "memory that reading the data may take, and that the model may need for a batch, as 4GiB (default: for data 2GiB and 32 times the files, at most half of what is free; for the model what is free)")
}

// memoryLimit parses --memory-limit. Empty means three quarters of the free memory, or no limit if
// the system does not report it.
func memoryLimit(text string) (int64, error) {
	if text == "" {
		return memory.Free() / 4 * 3, nil
	}
	n, err := memory.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("--memory-limit is %q, expected a size, as 4GiB, 500MB or 0", text)
	}
	return n, nil
}
