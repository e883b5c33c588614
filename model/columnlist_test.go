package model_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/model"
)

func TestColumnList(t *testing.T) {
	for _, test := range []struct {
		list model.ColumnList
		text string
	}{{nil, `""`}, {model.ColumnList{0}, `"0"`}, {model.ColumnList{0, 1, 2, 3, 7}, `"0-3,7"`}, {model.ColumnList{5, 7, 8}, `"5,7-8"`}} {
		text, err := json.Marshal(test.list)
		if err != nil || string(text) != test.text {
			t.Errorf("%v is written as %s (%v), expected %s", []int32(test.list), text, err, test.text)
		}
		var got model.ColumnList
		if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, test.list) {
			t.Errorf("%s is read as %v (%v)", text, got, err)
		}
	}
	var got model.ColumnList
	if err := json.Unmarshal([]byte("[3,4,9]"), &got); err != nil || !slices.Equal(got, model.ColumnList{3, 4, 9}) {
		t.Errorf("a list of numbers is read as %v (%v)", got, err)
	}
	for _, bad := range []string{`"0-"`, `"-1"`, `"5-3"`, `"0-2147483647"`, `"a"`, `"1,,2"`, `{}`} {
		err := json.Unmarshal([]byte(bad), &got)
		if err == nil || strings.HasPrefix(bad, `"`) && !strings.Contains(err.Error(), "expected numbers or ranges") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}
