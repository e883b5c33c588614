package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// The result has the number of rows of the table, and times above zero.
func TestReadTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(path, []byte("source,target,amount\n1,2,0.5\n2,3,1.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTable(t.Context(), path)
	if err != nil || got.Name != "edges.csv" || got.Rows != 2 || got.Columns != 3 || got.Cells.Wall <= 0 || got.Set.Wall <= 0 {
		t.Errorf("%+v, error %v", got, err)
	}
	if _, err := ReadTable(t.Context(), path+".gz"); err == nil {
		t.Error("a file that is not there is read")
	}
}
