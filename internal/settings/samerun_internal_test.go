package settings

import "testing"

// Texts of settings are shown without the escapes that JSON uses for HTML.
func TestFlattenText(t *testing.T) {
	got := flatten(map[string]any{"a": map[string]any{"b": `<i> & "x"`, "c": 1}})
	if got["a.b"] != `"<i> & \"x\""` || got["a.c"] != "1" {
		t.Errorf("%q", got)
	}
}
