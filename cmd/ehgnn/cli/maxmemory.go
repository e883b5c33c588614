package cli

import (
	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// maxMemory adds --max-memory to a verb that reads data.
func maxMemory(cmd *cobra.Command, size *memory.Size) {
	cmd.Flags().Var(size, "max-memory", "memory that reading the data may take, and that the model may need for a batch, as 4GiB (default: for data 2GiB and 32 times the files, at most half of what is free; for the model what is free)")
}
