package cli

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// byteSize is a flag of a number of bytes, as 4GiB.
type byteSize int64

func (b *byteSize) Set(text string) error {
	n, err := memory.Parse(text)
	if err != nil {
		return errors.New("expected a size, as 4GiB, 500MB or 0 for the default")
	}
	*b = byteSize(n)
	return nil
}

func (b *byteSize) String() string { return strconv.FormatInt(int64(*b), 10) }

func (b *byteSize) Type() string { return "size" }

// register adds --max-memory to a verb that reads data.
func (b *byteSize) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(b, "max-memory", "memory that reading the data may take, and that the model may need for a batch, as 4GiB (default: for data 2GiB and 32 times the files, at most half of what is free; for the model what is free)")
}
