package tables_test

import (
	"path/filepath"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/ehgnn/ehgnn/data/tables"
)

// TestWorkbook reads the table of edges from a workbook, given by its path. A workbook is a zip file.
func TestWorkbook(t *testing.T) {
	w := excelize.NewFile()
	defer w.Close()
	for i, row := range [][]any{{"payer", "payee", "amount"}, {"a", "b", 1.5}, {"b", "c", 2}} {
		cell, _ := excelize.CoordinatesToCellName(1, i+1)
		if err := w.SetSheetRow("Sheet1", cell, &row); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "payments.xlsx")
	if err := w.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	if !tables.Recognise(path) {
		t.Error("the workbook is not recognised")
	}
	s, err := tables.Open(path, tables.Options{})
	if err != nil || s.Name != "payments" || len(s.Ends) != 4 || s.Ends[3] != 2 {
		t.Errorf("%+v, error %v", s, err)
	}
	if o := (tables.Options{}).Outline(path); o.Edges == 0 {
		t.Errorf("outline %+v", o)
	}
}
