package tables_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// A column with a word for the target of edges is not guessed as the source.
func TestGuessedEnds(t *testing.T) {
	for names, want := range map[string]string{
		"Zahler,Empfänger,Betrag":  `--source "Zahler" --target "Empfänger", or --source "Betrag" --target "Empfänger";`,
		"Empfänger,Zahler,Betrag":  `--source "Zahler" --target "Empfänger", or --source "Betrag" --target "Empfänger";`,
		"user,friend,reaction":     `--source "user" --target "friend", or --source "user" --target "reaction";`,
		"receiver,payee_2,amount2": `--source "receiver" --target "payee_2", or --source "amount2" --target "receiver";`,
	} {
		_, err := tables.Read(folderOf("edges.csv", names+"\na,b,1\nb,c,2\n"), "toy", tables.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q in it", names, err, want)
		}
	}
}
