package explain

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// The time for naming edges is proportional to their number.
func TestItemNamesCost(t *testing.T) {
	const n = 2000
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(1000 + i)
	}
	columns := []report.Column{report.Ints("edge", numbers), report.Ints("source", numbers), report.Ints("target", numbers)}
	if names := itemNames(settings.Edges, columns); names[1][0] != "1001" || names[1][1] != "1001:1001" {
		t.Fatalf("edge 1 is named %q", names[1])
	}
	if allocated := testing.AllocsPerRun(1, func() { itemNames(settings.Edges, columns) }); allocated > 20*n {
		t.Errorf("naming %d edges allocates %.0f times, expected at most %d", n, allocated, 20*n)
	}
}
