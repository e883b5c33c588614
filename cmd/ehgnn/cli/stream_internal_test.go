package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"testing"
)

func packedText(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Packed text is JSON, or SMILES, by its content.
func TestIsJSON(t *testing.T) {
	for text, want := range map[string]bool{
		"":                         true,
		"  \n":                     true,
		`{"nodes":[]}`:             true,
		" \r\n[ {":                 true,
		"[ ]":                      true,
		"\xef\xbb\xbf{}":           true,
		"\xff\xfe{\x00}\x00":       true,
		"CCO\n":                    false,
		"[Na+].[Cl-]\n":            false,
		"source,target\n":          false,
		packedText(t, "{}"):        true,
		packedText(t, "CCO\nCO\n"): false,
	} {
		if got := isJSON([]byte(text)); got != want {
			t.Errorf("isJSON(%q) is %v, want %v", text, got, want)
		}
	}
}

func TestUnpacked(t *testing.T) {
	for name, text := range map[string]string{"plain": "CCO\nCO\n", "packed": packedText(t, "CCO\nCO\n")} {
		in := bufio.NewReader(bytes.NewReader([]byte(text)))
		if _, err := in.Peek(1); err != nil {
			t.Fatal(err)
		}
		r, err := new(useFlags).unpacked(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); string(got) != "CCO\nCO\n" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
