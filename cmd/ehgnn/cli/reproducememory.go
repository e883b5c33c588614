package cli

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// memoryLimit parses --memory-limit. Empty means three quarters of the free memory, or no
// limit where the system does not tell.
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
