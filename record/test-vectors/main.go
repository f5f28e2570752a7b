// Makes vectors.json with Go's own packages of the checksum database, and with two other implementations of the formats of C2SP.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"filippo.io/torchwood"
	fnote "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type hashes []tlog.Hash

func (h hashes) ReadHashes(at []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(at))
	for i, x := range at {
		out[i] = h[x]
	}
	return out, nil
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func all(p []tlog.Hash) []string {
	out := []string{}
	for _, h := range p {
		out = append(out, b64(h[:]))
	}
	return out
}

type inclusion struct {
	Index int64    `json:"index"`
	Size  int64    `json:"size"`
	Path  []string `json:"path"`
}
type consistency struct {
	First int64    `json:"first"`
	Size  int64    `json:"size"`
	Proof []string `json:"proof"`
}
type signed struct {
	Made string   `json:"made"`
	Keys []string `json:"keys"`
	Note string   `json:"note"`
}
type tile struct {
	Path  string `json:"path"`
	Level int    `json:"level"`
	N     int64  `json:"index"`
	W     int    `json:"width"`
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func seed(s string) ed25519.PrivateKey {
	h := sha256.Sum256([]byte(s))
	return ed25519.NewKeyFromSeed(h[:])
}

func main() {
	// Entry n is the text "entry n".
	const most = 300
	var stored hashes
	roots := []string{}
	for n := int64(0); n < most; n++ {
		add := must(tlog.StoredHashes(n, []byte(fmt.Sprintf("entry %d", n)), stored))
		stored = append(stored, add...)
		root := must(tlog.TreeHash(n+1, stored))
		roots = append(roots, b64(root[:]))
	}
	inclusions := []inclusion{}
	consistencies := []consistency{}
	for _, size := range []int64{1, 2, 3, 7, 8, 69, 70, 255, 256, 257, 300} {
		for _, index := range []int64{0, 1, size / 2, size - 2, size - 1} {
			if index < 0 || index >= size {
				continue
			}
			p := must(tlog.ProveRecord(size, index, stored))
			inclusions = append(inclusions, inclusion{index, size, all(p)})
		}
		for _, first := range []int64{1, 2, 6, 8, 64, 69, 255, 256, size - 1, size} {
			if first < 1 || first > size {
				continue
			}
			p := must(tlog.ProveTree(size, first, stored))
			consistencies = append(consistencies, consistency{first, size, all(p)})
		}
	}
	// The second implementation of the tree agrees, or there are no vectors.
	for _, v := range inclusions {
		var path [][]byte
		for _, h := range v.Path {
			path = append(path, must(base64.StdEncoding.DecodeString(h)))
		}
		leaf := rfc6962.DefaultHasher.HashLeaf([]byte(fmt.Sprintf("entry %d", v.Index)))
		root := must(base64.StdEncoding.DecodeString(roots[v.Size-1]))
		if err := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(v.Index), uint64(v.Size), leaf, path, root); err != nil {
			panic(err)
		}
	}
	tiles := []tile{}
	for _, t := range tlog.NewTiles(8, 0, 70000*256+5) {
		if len(tiles) < 3 || t.W < 256 {
			tiles = append(tiles, tile{t.Path(), t.L, t.N, t.W})
		}
	}
	for _, t := range []tlog.Tile{{H: 8, L: 0, N: 1234067, W: 256}, {H: 8, L: 2, N: 1000, W: 17}} {
		tiles = append(tiles, tile{t.Path(), t.L, t.N, t.W})
	}

	text := "tradepost.example/record\n300\n" + roots[most-1] + "\n"
	log := seed("log")
	name := "tradepost.example/record"
	vkey := must(note.NewEd25519VerifierKey(name, log.Public().(ed25519.PublicKey)))
	skey := fmt.Sprintf("PRIVATE+KEY+%s+%08x+%s", name, must(note.NewVerifier(vkey)).KeyHash(),
		b64(append([]byte{1}, log.Seed()...)))
	plain := string(must(note.Sign(&note.Note{Text: text}, must(note.NewSigner(skey)))))
	notes := []signed{{"golang.org/x/mod/sumdb/note", []string{vkey}, plain}}

	torch := must(torchwood.NewCosignatureSigner("witness.example/w1", seed("w1")))
	timed := string(must(note.Sign(&note.Note{Text: text}, torch)))
	notes = append(notes, signed{"filippo.io/torchwood", []string{torch.Verifier().String()}, timed})

	other := must(fnote.NewSignerForCosignatureV1(strings.Replace(skey, name, name, 1)))
	cosigned := string(must(note.Sign(&note.Note{Text: text}, other)))
	v4 := must(torchwood.NewCosignatureSigner(name, log)).Verifier().String()
	notes = append(notes, signed{"github.com/transparency-dev/formats/note", []string{v4}, cosigned})

	both := string(must(note.Sign(&note.Note{Text: text}, must(note.NewSigner(skey)), other, torch)))
	notes = append(notes, signed{"all three", []string{vkey, v4, torch.Verifier().String()}, both})

	out := map[string]any{"roots": roots, "inclusions": inclusions, "consistencies": consistencies, "tiles": tiles, "notes": notes}
	f := must(os.Create("vectors.json"))
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(out); err != nil {
		panic(err)
	}
}
